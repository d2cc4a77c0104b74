import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { relayWith, tempFolder } from '../../../test/support/index.ts';
import { err, ok } from '../../base/src/result.ts';
import type { ReadFile } from '../../base/src/text_file.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { startS3 } from '../../clients/test/aws/aws.ts';
import { fileSource } from '../src/source.ts';

/** A file with these contents one after the other, last written `ageMs` ago. Waits are recorded between the reads. */
function source(ageMs: number, ...texts: string[]) {
  const events: string[] = [];
  const { read } = fileSource('webform.yaml', {
    now: () => 1_000_000,
    readFile: async () => {
      const text = texts.shift() ?? '';
      events.push(text);
      return ok({ text, modifiedAt: 1_000_000 - ageMs });
    },
    sleep: async (ms) => void events.push(`${ms} ms`),
  });
  const text = async () => {
    const result = await read();
    return result.ok ? result.value : result.error;
  };
  return { text, events };
}

test.each([250, 86_400_000, -86_400_000])('a file that is %d ms old is used at the start', async (age) => {
  const { text, events } = source(age, 'a');
  expect(await text()).toBe('a');
  expect(events).toEqual(['a']);
});

test.each([0, 249, -1, -249])('at the start, a file of %d ms is used when two reads agree', async (ageMs) => {
  const { text, events } = source(ageMs, 'a', 'ab', 'abc', 'abc');
  expect(await text()).toBe('abc');
  expect(events).toEqual(['a', '250 ms', 'ab', '100 ms', 'abc', '100 ms', 'abc']);
});

test('a file that changes later is used when two reads agree', async () => {
  const { text, events } = source(1_000, 'a', 'b', 'bc', 'bcd', 'bcd', 'bcd');
  expect([await text(), await text(), await text()]).toEqual(['a', 'bcd', 'bcd']);
  expect(events).toEqual(['a', 'b', '100 ms', 'bc', '100 ms', 'bcd', '100 ms', 'bcd', 'bcd']);
});

test('a file that keeps changing is rejected', async () => {
  const { text } = source(1_000, ...Array.from({ length: 100 }, (_, index) => String(index)));
  await text();
  expect(await text()).toBe('the file keeps changing');
});

test('a hanging file blocks no request, is read once, and is used again when it is back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const file = (text: string) => ok({ text, modifiedAt: 0 });
  let comeBack = (_: Awaited<ReturnType<ReadFile>>) => {};
  const hanging = new Promise<Awaited<ReturnType<ReadFile>>>((resolve) => {
    comeBack = resolve;
  });
  const readings = [Promise.resolve(file('a')), hanging];
  let reads = 0;
  const { read } = fileSource('webform.yaml', {
    readFile: () => readings[reads++] ?? Promise.resolve(file('b')),
    now: Date.now,
    sleep: async () => {},
  });
  expect(await read()).toEqual(ok('a'));
  for (let refresh = 0; refresh < 3; refresh += 1) {
    const late = read();
    await vi.advanceTimersByTimeAsync(8_000);
    expect(await late).toEqual(err('the file could not be read within 8000 ms'));
  }
  expect(reads).toBe(2);
  comeBack(file('a'));
  await vi.advanceTimersByTimeAsync(0);
  expect(await read()).toEqual(ok('b'));
  expect(vi.getTimerCount()).toBe(0);
});

/**
 * Configs are in UTF-8. Any other encoding is rejected with its place, because a garbled field name would
 * lose what visitors send.
 */

const form = (title: string) =>
  `  contact: {title: ${title}, fields: [{name: straße}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}\n`;
const config = `forms:\n${form('Grüße')}`;

const latin = (text: string) => Buffer.from(text, 'latin1');
const wide = (text: string) => Buffer.from(text, 'utf16le');
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16();
const place = (line: number, column: number, byte: string, offset: number) =>
  `:${line}:${column}: byte 0x${byte} at offset ${offset} is ${byte === '00' ? 'zero, and text files contain no zero bytes: the file is UTF-16; save it' : 'not valid UTF-8; save the file'} as UTF-8\n`;

test.each<[what: string, bytes: Buffer, said: string]>([
  ['Latin-1', latin(config), place(2, 22, 'FC', 28)],
  ['Windows-1252', Buffer.concat([latin('# \x93\xfc\x94\n'), Buffer.from(config)]), place(1, 3, '93', 2)],
  ['UTF-16 LE with a mark', wide(`\uFEFF${config}`), place(1, 4, '00', 3)],
  ['UTF-16 LE', wide(config), place(1, 2, '00', 1)],
  ['UTF-16 BE', swapped(wide(config)), place(1, 1, '00', 0).replace(':1:1', '')],
  [
    'UTF-8 with zero',
    Buffer.from('a: "b\0"'),
    ':1:6: byte 0x00 at offset 5 is zero, and text files contain no zero bytes\n',
  ],
])('a config in %s', async (_, bytes, said) => {
  const { run, cwd } = await openTerminal();
  writeFileSync(join(cwd, 'webform.yaml'), bytes);
  for (const line of [
    'relay config validate',
    'cat webform.yaml | relay --config /dev/stdin config validate',
  ]) {
    const { stdout, stderr, code } = await run(line);
    expect(stdout + stderr).toContain(said);
    expect(code).toBe(1);
  }
});

test('a byte order mark is accepted, and so is a U+FFFD in the text', async () => {
  const { run } = await openTerminal({ files: { 'webform.yaml': `\uFEFF# \uFFFD\n${config}` } });
  expect((await run('relay config validate')).stdout).toBe('ok\n');
});

const wrong = 'byte 0xFC at offset';

/** Returns what a relay logs about the config with which it starts. */
async function saidOf(env: Readonly<Record<string, string>>): Promise<string> {
  const { get, logged } = await relayWith({ env });
  expect((await get('/readyz')).status).toBe(503);
  return JSON.stringify(logged.filter(({ level }) => level === 'error'));
}

test('a relay logs it, whatever the source, and serves nothing', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'webform.yaml'), latin(config));
  const s3 = await startS3();
  await s3.put('webform.yaml', latin(config));
  const aws = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_REGION: 'eu-central-1' };
  expect(await saidOf({ CONFIG_FILE: join(folder, 'webform.yaml') })).toContain(
    `line 2, column 22: ${wrong}`,
  );
  expect(await saidOf({ CONFIG_BUCKET: 'configs', AWS_ENDPOINT_URL_S3: s3.origin, ...aws })).toContain(
    `line 2, column 22: ${wrong}`,
  );
  // Node has already decoded the environment.
  expect(await saidOf({ CONFIG_INLINE: latin(config).toString('utf8') })).toContain(
    'line 2, column 22: a byte is not valid UTF-8; save the file as UTF-8',
  );
});

const signals = (list: string) => `spam: {doubt: observe, signals: {blocklist: ${list}}}`;

test.each<[top: string, path: string, text: string]>([
  [signals('{words: words.txt}'), 'words.txt', '# Liste für\ncasino\n'],
])('%s in another encoding', async (top, path, text) => {
  const { run, cwd } = await openTerminal({ files: { 'webform.yaml': `${top}\n${config}` } });
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  for (const bytes of [latin(text), wide(text)]) {
    writeFileSync(join(cwd, path), bytes);
    const { stdout, stderr, code } = await run('relay config validate');
    expect(stdout + stderr).toMatch(
      new RegExp(`${path}: line \\d+, column \\d+: byte .*; save (it|the file) as UTF-8`),
    );
    expect(code).toBe(1);
  }
});

const page = (head: string) =>
  `<!doctype html><head>${head}</head><body><form action="https://example.org/" method="post"><label>Grüße <input name="gruss"></label></form>`;

test.each<[what: string, bytes: Buffer]>([
  ['UTF-8', Buffer.from(page(''))],
  ['charset', latin(page('<meta charset="windows-1252">'))],
  ['http-equiv', latin(page('<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">'))],
  ['no word', latin(page(''))],
  ['UTF-16 BE', swapped(wide(`\uFEFF${page('')}`))],
])('relay init --from reads a page in its encoding: %s', async (_, bytes) => {
  const { run, cwd } = await openTerminal();
  writeFileSync(join(cwd, 'page.html'), bytes);
  const { stdout, stderr } = await run('relay init --from page.html && cat webform.yaml');
  expect(stdout + stderr).toContain('label: Grüße');
});

test('relay init --from reads the Windows-1252 characters that other encodings use for controls', async () => {
  const { run, cwd } = await openTerminal();
  const list =
    '<select name="price" aria-label="Preis"><option>10 \x80</option><option>\x84viel\x93</option></select>';
  writeFileSync(
    join(cwd, 'page.html'),
    latin(page('<meta charset="latin1">').replace('</form>', `${list}</form>`)),
  );
  const { stdout } = await run('relay init --from page.html && cat webform.yaml');
  expect(stdout).toMatch(/label: Preis, options: \["10 €", "?„viel“"?\]/);
});

test.each<[what: string, bytes: Buffer, said: string]>([
  ['says UTF-8 and is not', latin(page('<meta charset="utf-8">')), `${wrong} `],
])('relay init --from rejects a page that %s', async (_, bytes, said) => {
  const { run, cwd } = await openTerminal();
  writeFileSync(join(cwd, 'page.html'), bytes);
  const { stderr, code } = await run('relay init --from page.html');
  expect(stderr).toContain('page.html: line 1, column ');
  expect(stderr).toContain(said);
  expect(code).toBe(1);
});
