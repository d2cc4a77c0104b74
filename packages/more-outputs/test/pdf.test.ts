/** Submissions as PDFs, from a visitor's browser to what the owner files. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { readableOn } from '@form-relay/pages/look/style';
import { startCpuClock } from '../../../test/support/cpu_clock.ts';
import { expectLogged, httpSink, relayWith, smtpSink, tempFolder } from '../../../test/support/index.ts';
import { createMemoryStore } from '../../../test/support/memory_store.ts';
import type { TestRelay } from '../../../test/support/relay.ts';
import { readStrictly } from '../../../test/support/strict_mail.ts';
import { account } from '../../clients/test/aws/aws.ts';

const hasPoppler = spawnSync('pdftotext', ['-v']).status === 0;
const dejavu = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';
const hasDejavu = existsSync(dejavu);
if (process.env.REQUIRE_PDF === '1' && !(hasPoppler && hasDejavu))
  throw new Error('install poppler-utils and fonts-dejavu-core');
if (!hasPoppler) console.warn('SKIPPED: without poppler-utils, no PDF is read');
if (!hasDejavu) console.warn('SKIPPED: without fonts-dejavu-core, PDFs show Western European letters alone');
const readable = test.skipIf(!hasPoppler);
const inScripts = test.skipIf(!hasPoppler || !hasDejavu);

const mailTo = (port: number, more = '') =>
  `{type: smtp, host: 127.0.0.1, port: ${port}, from: forms@firm.example, to: a@b.example, timeout: 20s, html: true, pdf: true${more && `, ${more}`}}`;

type Sent = readonly (readonly [name: string, value: string | File])[];

interface Served extends Pick<TestRelay, 'logged'> {
  request(target: string, init: RequestInit): Promise<{ readonly status: number; readonly text: string }>;
}

async function send(relay: Served, values: Sent): Promise<void> {
  // A form without files does not accept multipart bodies.
  const body = values.some(([, value]) => value instanceof File) ? new FormData() : new URLSearchParams();
  for (const [name, value] of values) body.append(name, value as string);
  const { status, text } = await relay.request('/api/v1/submit/contact', { method: 'POST', body });
  expect(status, `${text} ${JSON.stringify(relay.logged)}`).toBe(200);
}

/** The contents that poppler finds in a PDF. */
function read(bytes: Uint8Array) {
  const path = join(tempFolder(), 'some.pdf');
  writeFileSync(path, bytes);
  const run = (command: string, ...options: readonly string[]) =>
    execFileSync(command, [...options], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return {
    text: run('pdftotext', '-layout', path, '-').replaceAll(/[ \t]+/g, ' '),
    info: run('pdfinfo', path),
    structure: run('pdfinfo', '-struct-text', path),
    images: run('pdfimages', '-list', path).match(/^ +\d+ +\d+ image /gm) ?? [],
    /** Another PDF reader finds no damage. */
    problems: spawnSync('pdftoppm', ['-r', '20', path, join(path, '..', 'page')], { encoding: 'utf8' })
      .stderr,
    pixels: () => execFileSync('pdftoppm', ['-r', '60', path]),
    boxes: run('pdftotext', '-bbox', path, '-'),
  };
}

const u32 = (number: number) => Buffer.from([number >>> 24, number >>> 16, number >>> 8, number]);
const chunk = (type: string, content: Uint8Array) =>
  Buffer.concat([u32(content.length), Buffer.from(type), content, u32(0)]);

/** Has no checksums, because pdfkit ignores them. `about`: depth, colour type, compression, filter, interlace. */
const png = (width: number, height: number, rows: Buffer, about = [8, 2, 0, 0, 0]) =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.concat([u32(width), u32(height), Buffer.from(about)])),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);

/** The smallest grey JPEG that a camera could write. */
const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==',
  'base64',
);

const contact = (output: string, more = '', top = '') => `
${top}
forms:
  contact:
    title: Anfrage für Möbel
    page: true
    ${more}
    fields:
      - {name: name, label: Ihr Name}
      - {name: message, type: textarea}
      - {name: topics, type: checkboxes, options: [{value: roof, label: Dach}, {value: wall, label: Wand}]}
      - {name: photos, type: file, multiple: true, accept: [image]}
    outputs:
      - ${output}
`;

describe('a mail with `pdf: true`', () => {
  readable('has the look of the form: logo, accent, footer', async () => {
    const sink = await smtpSink();
    const folder = tempFolder();
    const logo = png(2, 1, Buffer.from([0, 200, 0, 0, 0, 0, 200]));
    writeFileSync(join(folder, 'logo.png'), logo);
    const look =
      'look: {name: Acme, logo: logo.png, accent: "#5eead4", footer: "Acme · [Imprint](https://acme.example/)"}';
    const file = join(folder, 'webform.yaml');
    writeFileSync(file, contact(mailTo(sink.port), '', look));
    const relay = await relayWith({ env: { CONFIG_FILE: file } });
    await send(relay, [['name', 'Ada']]);
    const { files } = readStrictly(sink.mails[0]?.raw ?? '');
    const { text, structure, images, problems, pixels } = read(files[0]?.bytes ?? Buffer.alloc(0));
    expect([problems, images.length]).toEqual(['', 1]);
    expect(text).toContain('Acme · Imprint\n');
    expect(structure).toContain('Figure');
    // The accent colour itself would be too pale on white paper.
    const ink = readableOn('#ffffff', '#5eead4');
    expect(pixels().includes(Buffer.from(ink.slice(1), 'hex'))).toBe(true);
  });

  readable('has the submission attached as a PDF that can be read, and read aloud', async () => {
    const sink = await smtpSink();
    const relay = await relayWith({ config: contact(mailTo(sink.port)) });
    await send(relay, [
      ['name', 'Jürgen Weiß'],
      ['message', 'Grüße – für 12 €\n{{ .fields.name }} {{ env "PATH" }}'],
      ['topics', 'roof'],
      ['topics', 'wall'],
      ['_page', 'https://example.com/kontakt'],
    ]);
    const { files } = readStrictly(sink.mails[0]?.raw ?? '');
    expect(files.map(({ type }) => type)).toEqual(['application/pdf']);
    expect(files[0]?.name).toMatch(/^contact-\d{8}T\d{9}Z-[\da-f-]{36}\.pdf$/);
    const { text, info, structure, problems } = read(files[0]?.bytes ?? Buffer.alloc(0));
    expect(problems).toBe('');
    expect(info).toMatch(/Title: +Anfrage für Möbel\n/);
    expect(info).toMatch(/Tagged: +yes\n/);
    for (const words of ['Jürgen Weiß', 'Grüße – für 12 €', '• Dach', '• Wand', 'Received: '])
      expect(text).toContain(words);
    // Text from a visitor is not a template.
    expect(text).toContain('{{ .fields.name }} {{ env "PATH" }}');
    const tags = structure.split('\n').map((line) => line.trim());
    expect(tags).toContain('H1 (block)');
    expect(tags.join(' ')).toMatch(/LI \(block\) Lbl \(block\) "Ihr Name ?" LBody \(block\) "Jürgen Weiß ?"/);
  });

  readable('shows pictures, and names broken, huge and interlaced ones', async () => {
    const sink = await smtpSink();
    const relay = await relayWith({ config: contact(mailTo(sink.port, 'attachments: []')) });
    const whole = png(20, 10, Buffer.alloc(610));
    const files: Readonly<Record<string, Buffer>> = {
      'whole.png': whole,
      'clear.png': png(4, 4, Buffer.alloc(68), [8, 6, 0, 0, 0]),
      'camera.jpg': jpeg,
      'cut.png': whole.subarray(0, 50),
      'cut.jpg': jpeg.subarray(0, 60),
      'bomb.png': png(10, 10, Buffer.alloc(50_000_000)),
      'filter.png': png(4, 4, Buffer.alloc(52, 9)),
      'huge.png': png(60_000, 60_000, Buffer.alloc(9)),
      'interlaced.png': png(8, 8, Buffer.alloc(200), [8, 2, 0, 0, 1]),
    };
    await send(
      relay,
      Object.entries(files).map(([name, bytes]) => {
        const type = name.endsWith('.png') ? 'image/png' : 'image/jpeg';
        return ['photos', new File([new Uint8Array(bytes)], name, { type })] as const;
      }),
    );
    const [pdf] = readStrictly(sink.mails[0]?.raw ?? '').files;
    const { text, images, structure, problems } = read(pdf?.bytes ?? Buffer.alloc(0));
    expect(problems).toBe('');
    expect(images).toHaveLength(3);
    expect(structure.match(/Figure/g)).toHaveLength(3);
    for (const name of Object.keys(files)) expect(text).toContain(`${name} (`);
  });

  readable('goes on over pages, with their numbers, whatever it is given', async () => {
    const sink = await smtpSink();
    const relay = await relayWith({ config: contact(mailTo(sink.port)) });
    await send(relay, [
      ['name', `${'x'.repeat(9_990)}\u0007\u202e`],
      ['message', `${'Zeile\n'.repeat(200)}👩‍👩‍👧 日本`],
    ]);
    const { files } = readStrictly(sink.mails[0]?.raw ?? '');
    const { text, info } = read(files[0]?.bytes ?? Buffer.alloc(0));
    const pages = Number(/Pages: +(\d+)/.exec(info)?.[1]);
    expect(pages).toBeGreaterThan(5);
    const numbers = text.match(/\d+ ?\/ ?\d+(?=\n)/g)?.map((one) => one.replaceAll(' ', ''));
    expect(numbers).toEqual(Array.from({ length: pages }, (_, index) => `${index + 1}/${pages}`));
    expect(text.match(/x/g)?.length).toBeGreaterThanOrEqual(9_990);
    expect(text).toContain('? ??');
    expectLogged(relay, { event: 'delivery_warning', reason: expect.stringContaining('no font') });
  });

  readable('breaks no page between a heading and what belongs to it', async () => {
    const sink = await smtpSink();
    const fields =
      '[{name: message, type: textarea}, {name: guests, type: repeat, most: 50, fields: [{name: name}, {name: age}, {name: town}]}]';
    const outputs = `[${mailTo(sink.port)}]`;
    const relay = await relayWith({ config: `forms: {contact: {fields: ${fields}, outputs: ${outputs}}}` });
    const guests = Array.from({ length: 50 }, (_, index): [string, string][] => [
      [`guests.${index + 1}.name`, 'Ann'],
      [`guests.${index + 1}.age`, '36'],
      [`guests.${index + 1}.town`, 'Linz'],
    ]);
    await send(relay, [['message', 'Line\n'.repeat(30)], ...guests.flat()]);
    const { files } = readStrictly(sink.mails[0]?.raw ?? '');
    const { text } = read(files[0]?.bytes ?? Buffer.alloc(0));
    const pages = text.split('\f').slice(0, -1);
    expect(pages.length).toBeGreaterThan(3);
    for (const one of pages) expect(one).not.toMatch(/Entry \d+:\s+\d+ ?\/ ?\d+\s*$/);
  });
});

test('clients take turns, so that a client with many PDFs delays no other', async () => {
  const sink = await smtpSink();
  const config = contact(
    `{type: smtp, host: 127.0.0.1, port: "${sink.port}", to: you@example.com, pdf: true}`,
  );
  const relay = await relayWith({ config, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const one = (client: string, name: string) => {
    const body = new URLSearchParams({ name, message: 'Line\n'.repeat(1_500) });
    const headers = { 'x-forwarded-for': client };
    return relay.request('/api/v1/submit/contact', { method: 'POST', headers, body });
  };
  const many = Array.from({ length: 15 }, () => one('192.0.2.1', 'Ann'));
  await Promise.race(many);
  await one('198.51.100.1', 'Bob');
  // In a plain queue, it would be the last one.
  expect(sink.mails.length).toBeLessThan(15);
  await Promise.all(many);
});

inScripts('a letter can be copied, whatever PDFs were made before it', async () => {
  const path = tempFolder();
  // A path under which no other test has opened the font.
  const font = dejavu.replace('/dejavu/', '/./dejavu/');
  const config = contact(`{type: folder, path: ${path}, pdf: true}`, '', `pdf: {fonts: [${font}]}`);
  const relay = await relayWith({ config });
  for (const name of ['Äö\u00a0ü', 'Uwe zum Oktober']) await send(relay, [['name', name]]);
  expect(pdfsIn(path).map((pdf) => read(pdf).text)).toContainEqual(
    expect.stringContaining('Uwe zum Oktober'),
  );
});

test.skipIf(!hasDejavu)('thousands of marks on one letter take no longer than as many letters', async () => {
  const config = contact(`{type: folder, path: ${tempFolder()}, pdf: true}`, '', `pdf: {fonts: [${dejavu}]}`);
  const relay = await relayWith({ config });
  const quickest = async (message: string) => {
    const times: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      const cpuMs = startCpuClock();
      await send(relay, Object.entries({ name: 'Ann', message }));
      times.push(cpuMs());
    }
    return Math.min(...times);
  };
  const letters = await quickest('sentence '.repeat(540));
  expect(await quickest(`a${'\u0301'.repeat(4_900)}`)).toBeLessThan(2 * letters);
});

test.skipIf(!hasPoppler || !hasDejavu).each([['a font', `pdf: {fonts: [${dejavu}]}`]])(
  'the built relay, whose pdfkit is smaller, writes the same PDF with %s',
  async (_, top) => {
    const [one, other] = [tempFolder(), tempFolder()];
    const config = (path: string) => contact(`{type: folder, path: ${path}, pdf: true}`, 'language: de', top);
    const sent: Sent = [
      ['name', top ? 'שלום ﷺ Zażółć 12' : 'Jürgen'],
      ['message', 'AV To – 12 €\n'.repeat(90)],
      [
        'photos',
        new File([png(4, 4, Buffer.alloc(68), [8, 6, 0, 0, 0])], 'clear.png', { type: 'image/png' }),
      ],
      ['photos', new File([jpeg], 'camera.jpg', { type: 'image/jpeg' })],
    ];
    await send(await relayWith({ config: config(one) }), sent);
    const built = await startBuilt(config(other));
    await send(built, sent);
    const [fromSource, fromBuilt] = [one, other].map((path) => {
      const [pdf = Buffer.alloc(0)] = pdfsIn(path);
      const { text, structure, images, problems } = read(pdf);
      return JSON.stringify({ text, structure, images, problems }).replaceAll(/\d\d:\d\d/g, 'time');
    });
    expect(fromBuilt).toContain('camera.jpg');
    expect(fromBuilt).toBe(fromSource);
  },
);

/** The shipped `relay serve`, with this config. */
async function startBuilt(config: string): Promise<Served> {
  const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', CONFIG_INLINE: config },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill());
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const [origin] = /http:\/\/[\w.]+:\d+/.exec(line) ?? [];
  return {
    logged: [],
    request: async (target, init) => {
      const response = await fetch(`${origin}${target}`, init);
      return { status: response.status, text: await response.text() };
    },
  };
}

function pdfsIn(folder: string): readonly Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.pdf'))
    .map((path) => readFileSync(join(folder, path)));
}

describe('a PDF in other scripts', () => {
  inScripts('reads from right to left, with what does not between', async () => {
    const sink = await smtpSink();
    const relay = await relayWith({
      config: `
pdf: {fonts: [${dejavu}]}
forms:
  contact:
    language: he
    title: טופס יצירת קשר
    bodies: [multipart]
    fields: [{name: name, label: שם}, {name: count, label: מספר}, {name: phone, label: טלפון}, {name: note, label: הערה}, {name: lines, type: textarea, label: שורות}, {name: rue, type: textarea, label: רחוב}, {name: guests, type: repeat, label: אורחים, fields: [{name: at, label: מועד}, {name: left, label: "יתרה?", type: number, min: -9}, {name: iban, label: IBAN}]}]
    outputs: [${mailTo(sink.port)}]
`,
    });
    await send(relay, [
      ['name', 'שלום עולם and English'],
      ['count', '۱۲۳ שקל'],
      ['phone', '+20 10 98765'],
      ['note', 'נייד +49 30 בערב'],
      ['lines', 'כתובת\n+44 20 7946\n4711\nVienna'],
      ['rue', '47 rue X\n75008'],
      ['guests.1.at', '2026-10-25 02:30 (+03:00)'],
      ['guests.1.left', '-7'],
      ['guests.1.iban', 'DE89'],
    ]);
    const { files } = readStrictly(sink.mails[0]?.raw ?? '');
    const bytes = files[0]?.bytes ?? Buffer.alloc(0);
    const { boxes, text } = read(bytes);
    // Poppler returns glyphs from left to right; screen readers use the structure.
    const spoken = Buffer.from('טופס יצירת', 'utf16le').swap16();
    expect(
      Buffer.from(bytes).includes(Buffer.concat([Buffer.from('/ActualText (\xfe\xff', 'latin1'), spoken])),
    ).toBe(true);
    const leftOf = (word: string) => {
      const shown = `${word}|${[...word].reverse().join('')}`.replaceAll('+', '[+]');
      return Number(new RegExp(`xMin="([\\d.]+)"[^>]*>(?:${shown})<`).exec(boxes)?.[1]);
    };
    expect(leftOf('שלום')).toBeGreaterThan(leftOf('עולם'));
    expect(leftOf('עולם')).toBeGreaterThan(leftOf('English'));
    expect(leftOf('English')).toBeGreaterThan(leftOf('and'));
    expect(leftOf('۱۲۳')).toBeGreaterThan(leftOf('שקל'));
    // On the right side, and still left to right.
    expect(leftOf('+20')).toBeGreaterThan(400);
    expect(leftOf('98765')).toBeGreaterThan(leftOf('+20'));
    // Aligned with the other lines of the value.
    expect(leftOf('+44')).toBeGreaterThan(400);
    expect(leftOf('7946')).toBeGreaterThan(leftOf('+44'));
    expect(leftOf('4711')).toBeGreaterThan(400);
    expect(leftOf('Vienna')).toBeGreaterThan(400);
    // Nothing is drawn before it. The number is not a day of a month.
    expect(leftOf('75008')).toBe(leftOf('47'));
    // With a space on both sides.
    expect(leftOf('נייד')).toBeGreaterThan(leftOf('+49'));
    expect(leftOf('+49')).toBeGreaterThan(leftOf('בערב'));
    // Lines of an entry start below each other, whatever their labels are.
    const rightOf = (word: string) => Number(new RegExp(`xMax="([\\d.]+)"[^>]*>${word}<`).exec(boxes)?.[1]);
    expect(rightOf(':IBAN')).toBeCloseTo(rightOf(':דעומ'), 0);
    expect(leftOf(':IBAN')).toBeGreaterThan(leftOf('DE89'));
    // Values after a label keep their order.
    for (const value of ['-7', '2026-10-25 02:30 (+03:00)']) expect(text).toContain(value);
  });
});

describe('every output that accepts files gets the PDF', () => {
  const values: Sent = [['name', 'Ann']];

  readable('a folder, where its document names it', async () => {
    const path = tempFolder();
    const relay = await relayWith({
      config: contact(`{type: folder, path: ${path}, pdf: true, mapping: {who: name}}`),
    });
    await send(relay, [...values, ['message', 'not for this output']]);
    const [pdf = Buffer.alloc(0)] = pdfsIn(path);
    const { text } = read(pdf);
    expect(text).toContain('Ihr Name');
    expect(text).not.toContain('not for this output');
    const documents = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((one) =>
      one.endsWith('.json'),
    );
    const document = JSON.parse(readFileSync(join(path, documents[0] ?? ''), 'utf8'));
    expect(document.files).toMatchObject([{ field: '_pdf', type: 'application/pdf', size: pdf.length }]);
  });
});

describe('a PDF that cannot be made', () => {
  test.skipIf(!hasDejavu)('costs no submission: the mail and the log say so', async () => {
    const sink = await smtpSink();
    const font = join(tempFolder(), 'gone.ttf');
    writeFileSync(font, readFileSync(dejavu));
    const relay = await relayWith({
      config: contact(mailTo(sink.port), 'language: de', `pdf: {fonts: [${font}]}`),
      // Twenty-one other fonts evict it from memory.
    });
    await relay.get('/readyz');
    rmSync(font);
    const others = tempFolder();
    for (let nth = 0; nth < 21; nth += 1) {
      const other = join(others, `${nth}.ttf`);
      writeFileSync(other, readFileSync(dejavu));
      const one = await relayWith({ config: contact(mailTo(sink.port), '', `pdf: {fonts: [${other}]}`) });
      await one.get('/readyz');
    }
    await send(relay, [['name', 'Ann']]);
    const { parts, files } = readStrictly(sink.mails[0]?.raw ?? '');
    expect(files).toEqual([]);
    for (const { text } of parts) expect(text).toMatch(/PDF-Datei/);
    expectLogged(relay, {
      event: 'delivery_warning',
      reason: expect.stringContaining('the PDF could not be created'),
    });
  });

  test.each([
    ['pdf: {fonts: [/nowhere/a.ttf]}', /\/nowhere\/a\.ttf: the font cannot be read/],
    ['pdf: {fonts: [/etc/passwd]}', /the file has no TrueType or OpenType font/],
    ['pdf: {fonts: [/dev/zero]}', /the font cannot be read \(not a file\)/],
  ])('because of a font is a mistake in the config: %s', async (top, words) => {
    const relay = await relayWith({ config: contact(mailTo(1), '', top) });
    await relay.get('/readyz');
    const problems = relay.logged.find(({ event }) => event === 'config_invalid')?.problems;
    expect(String(problems)).toMatch(words);
  });
});

test('a queued delivery has the same PDF when it is retried', async () => {
  let tries = 0;
  const sink = await httpSink({ answer: () => ({ status: ++tries === 1 ? 503 : 200 }) });
  const output = '{type: s3, bucket: configs, pdf: true, retries: 0, mapping: {who: name}}';
  const relay = await relayWith({
    config: contact(output, 'keep: failed', 'keep: {in: /var/lib/form-relay}'),
    env: { ...account, AWS_ENDPOINT_URL_S3: sink.origin },
    store: createMemoryStore,
  });
  await send(relay, [['name', 'Ann']]);
  relay.advance(60_000);
  await expect.poll(() => sink.requests.length, { timeout: 20_000 }).toBeGreaterThan(2);
  const [first, second] = sink.requests.map(({ bytes }) => bytes);
  expect(first?.subarray(0, 8).toString()).toBe('%PDF-1.7');
  expect(second?.equals(first ?? Buffer.of())).toBe(true);
});
