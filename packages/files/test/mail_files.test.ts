import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { contact, httpSink, reasons, relayWith, smtpScript, smtpSink } from '../../../test/support/index.ts';
import type { TestRelay } from '../../../test/support/relay.ts';
import { type Book, inTurn } from '../../../test/support/smtp_script.ts';
import type { SmtpSinkOptions } from '../../../test/support/smtp_sink.ts';
import { readStrictly } from '../../../test/support/strict_mail.ts';
import { account } from '../../clients/test/aws/aws.ts';

const formOf = (output: string, more = '') => `
forms:
  contact:
    max_body: 30MB
    fields:
      - {name: name}
      - {name: cv, label: Lebenslauf, type: file, accept: [text, pdf]}
      - {name: photos, type: file, multiple: true, accept: text, max_size: 20MB}
    outputs:
      - {${output}}
    ${more}
`;

const mail = (port: number, more = '') =>
  formOf(
    `type: smtp, host: 127.0.0.1, port: ${port}, from: forms@firm.example, to: a@b.example, mapping: "*"${more && `, ${more}`}`,
  );

async function stage(output = '', sinkOptions: SmtpSinkOptions = {}, env = {}) {
  const sink = await smtpSink(sinkOptions);
  const relay = await relayWith({ config: mail(sink.port, output), env });
  return { sink, relay };
}

const cv = new File(['%PDF-1.4 Größe'], 'Lebenslauf Müller.pdf', { type: 'application/pdf' });
const large = (letter: string, bytes: number) =>
  new File([letter.repeat(bytes)], `${letter}.txt`, { type: 'text/plain' });

/** Sends the form as a browser does, to a relay that has loaded its config. */
async function send(relay: TestRelay, values: readonly (readonly [name: string, value: string | File])[]) {
  await relay.get('/readyz');
  const body = new FormData();
  for (const [name, value] of values) {
    if (typeof value === 'string') body.append(name, value);
    else body.append(name, value);
  }
  return relay.request('/api/v1/submit/contact', { method: 'POST', body });
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const digestOf = async (file: File) => digest(new Uint8Array(await file.arrayBuffer()));

describe('the files of a form', () => {
  test('are attached to the mail, whose text has their names and sizes', async () => {
    const { sink, relay } = await stage();
    const photo = large('p', 3_000_000);
    const answer = await send(relay, [
      ['name', 'Ann'],
      ['cv', cv],
      ['photos', photo],
      ['photos', large('q', 5)],
    ]);
    expect(answer.status, JSON.stringify(relay.logged)).toBe(200);
    const { parts, files } = readStrictly(sink.mails[0]?.raw ?? '');
    expect(parts).toEqual([
      {
        type: 'text/plain',
        text: 'cv=Lebenslauf Müller.pdf (16 bytes)\r\nname=Ann\r\nphotos=p.txt (2.9 MB)\r\nphotos=q.txt (5 bytes)',
      },
    ]);
    expect(files.map(({ name, type, bytes }) => [name, type, digest(bytes)])).toEqual([
      ['Lebenslauf Müller.pdf', 'application/pdf', await digestOf(cv)],
      ['p.txt', 'text/plain; charset=utf-8', await digestOf(photo)],
      ['q.txt', 'text/plain; charset=utf-8', digest(Buffer.from('qqqqq'))],
    ]);
  });

  test.each([
    ['[photos]', ['p.txt']],
    ['[]', []],
    ['"*"', ['Lebenslauf Müller.pdf', 'p.txt']],
  ])('are attached as `attachments: %s` says', async (attachments, names) => {
    const { sink, relay } = await stage(`attachments: ${attachments}`);
    expect((await send(relay, Object.entries({ cv, photos: large('p', 5) }))).status).toBe(200);
    const { files, parts } = readStrictly(sink.mails[0]?.raw ?? '');
    expect(files.map(({ name }) => name)).toEqual(names);
    expect(parts[0]?.text).toContain('cv=Lebenslauf Müller.pdf (16 bytes)');
  });

  test('are not attached to the mail to the visitor', async () => {
    const sink = await smtpSink();
    const relay = await contact({
      fields: '[{name: email, type: email}, {name: cv, type: file, accept: pdf}]',
      outputs: `[{type: smtp, host: 127.0.0.1, port: ${sink.port}, from: forms@firm.example, to: a@b.example, mapping: "*"}]`,
      keys: 'confirmation_mail: {to: email, subject: Thanks, text: Thanks.}, spam: {min_fill_seconds: 1}',
      env: { FORM_TOKEN_SECRET: 'x'.repeat(32) },
    });
    const token = /value="([^"]+)"/.exec((await relay.get('/api/v1/token/contact')).text)?.[1] ?? '';
    relay.advance(5_000);
    const answer = await send(relay, Object.entries({ _ts: token, email: 'ann@b.example', cv }));
    expect(answer.status, JSON.stringify(relay.logged)).toBe(200);
    await expect.poll(() => sink.mails.length).toBe(2);
    const [toOwner, toVisitor] = sink.mails.map(({ raw }) => readStrictly(raw));
    expect(toOwner?.files).toHaveLength(1);
    expect(toVisitor?.files).toEqual([]);
    expect(toVisitor?.parts[0]?.text).toContain('Thanks.');
  });
});

describe('a server', () => {
  const commands = (script: { readonly commands: readonly string[] }) =>
    script.commands.map((line) => line.split(' ')[0]);

  async function scripted(book: Book, more = '') {
    const script = await smtpScript(book);
    return { script, relay: await relayWith({ config: mail(script.port, more) }) };
  }

  test('with a lower size limit is sent nothing, and both sizes are reported', async () => {
    const { script, relay } = await scripted({ EHLO: '250-mail.test\r\n250 SIZE 1048576' });
    expect((await send(relay, [['photos', large('p', 1_000_000)]])).status).toBe(500);
    expect(reasons(relay)).toEqual([
      'the message is too large for the server: 1338 KB, and the limit is 1024 KB',
    ]);
    expect(commands(script)).not.toContain('MAIL');
  });

  test('that refuses in the middle of a file is heard', async () => {
    const refuse = (socket: Socket) => {
      socket.write('354 go\r\n');
      socket.once('data', () => {
        socket.pause();
        socket.write('552 5.3.4 too much\r\n');
      });
    };
    const { relay } = await scripted({ DATA: refuse });
    const answer = await send(relay, [['photos', large('p', 15_000_000)]]);
    expect(answer.status, answer.text).toBe(500);
    expect(reasons(relay)).toEqual(['the server refused the message: 552 5.3.4']);
  });

  test('that disconnects in the middle of a file gets the same bytes in a second attempt', async () => {
    const hangUp = (socket: Socket) => {
      socket.write('354 go\r\n');
      let read = 0;
      socket.on('data', (chunk) => {
        read += chunk.length;
        if (read > 200_000) socket.destroy();
      });
    };
    const { script, relay } = await scripted({ DATA: inTurn(hangUp, '354 go') });
    expect((await send(relay, [['photos', large('p', 2_000_000)]])).status).toBe(200);
    const mails = script.wire.split('DATA\r\n').slice(1);
    expect(mails).toHaveLength(2);
    const [cut = '', whole = ''] = mails;
    const sent = cut.replace(/EHLO.*/s, '');
    expect(whole.startsWith(sent.slice(0, 100_000))).toBe(true);
    expect(readStrictly(whole.replace(/\.\r\n(QUIT\r\n)?$/, '')).files[0]?.bytes.length).toBe(2_000_000);
  });
});

describe('Amazon SES', () => {
  const from = { ...account, MAIL_FROM_ADDRESS: 'Formulare <forms@example.com>' };
  const email = (more = '') =>
    formOf(`type: email, to: 'Büro <office@example.com>', mapping: "*"${more && `, ${more}`}`);

  test('gets files as MIME', async () => {
    const api = await httpSink({ answer: () => ({ body: '{"MessageId": "1"}' }) });
    const relay = await relayWith({
      config: email('headers: {X-Kind: größer}'),
      env: { ...from, AWS_ENDPOINT_URL_SESV2: api.origin },
    });
    const photo = large('p', 500_000);
    expect((await send(relay, Object.entries({ cv, photos: photo }))).status).toBe(200);
    const { Content, Destination } = JSON.parse(api.requests[0]?.bytes.toString() ?? '');
    expect(Destination).toEqual({ ToAddresses: ['office@example.com'] });
    const { files, words } = readStrictly(Buffer.from(Content.Raw.Data, 'base64').toString('latin1'));
    expect(words('X-Kind')).toBe('größer');
    expect(files.map(({ name, bytes }) => [name, digest(bytes)])).toEqual([
      ['Lebenslauf Müller.pdf', await digestOf(cv)],
      ['p.txt', await digestOf(photo)],
    ]);
  });

  test.each(['', 'headers: {X-Kind: a}'])('is not sent what exceeds its 40 MB (%j)', async (more) => {
    const api = await httpSink();
    const relay = await relayWith({
      config: email(more).replace('30MB', '60MB'),
      env: { ...from, AWS_ENDPOINT_URL_SESV2: api.origin, UPLOAD_BUDGET: '200000000' },
    });
    const photos = ['p', 'q'].map((letter): [string, File] => ['photos', large(letter, 16_000_000)]);
    const answer = await send(relay, photos);
    expect(answer.status, answer.text).toBe(500);
    expect(reasons(relay)).toEqual([
      expect.stringMatching(
        /^the message is too large for the server: 427\d\d KB, and the limit is 40960 KB$/,
      ),
    ]);
    expect(api.requests).toEqual([]);
  });
});
