import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createDryRun } from '../../../apps/studio/src/dry_run/dry_run.ts';
import type { SubmissionReport } from '../../../apps/studio/src/dry_run/report.ts';
import { reasons, relayWith, smtpSink } from '../../../test/spec/stage.ts';
import { verifyDkim } from '../../../test/support/dkim.ts';
import type { Environment } from '../../core/src/settings.ts';

const rsa = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;
const key = rsa(2_048);
const pkcs8 = key.export({ type: 'pkcs8', format: 'pem' }).toString();
const pkcs1 = key.export({ type: 'pkcs1', format: 'pem' }).toString();
const record = `v=DKIM1; k=rsa; p=${createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')}`;

interface Stage {
  /** More keys of the output. */
  readonly output?: string;
  readonly pem?: string;
}

async function stage({ output = '', pem = pkcs8 }: Stage) {
  const sink = await smtpSink();
  const relay = await relayWith({
    config: `
forms:
  contact:
    title: Kontakt
    fields: [{name: name}, {name: email}, {name: message, type: textarea}]
    outputs:
      - {type: smtp, host: 127.0.0.1, port: ${sink.port}, from: Büro <office@firm.example>, to: a@b.example, mapping: "*",
         subject: "Über {{ .fields.name }}", reply_to: "{{ .fields.email }}", reply_to_name: "{{ .fields.name }}",
         dkim: {domain: firm.example, selector: s1, key: '{{ env "DKIM_KEY" }}'}, ${output}}`,
    env: { DKIM_KEY: pem },
  });
  const send = async (message: string) => {
    const { status } = await relay.submit('contact', [
      ['name', 'Änne "Ä" Öz, Dr.'],
      ['email', 'anne@b.example'],
      ['message', message],
    ]);
    return status;
  };
  return { relay, sink, send };
}

/** Asks no DNS: there is one record. */
const published = (name: string) => {
  expect(name).toBe('s1._domainkey.firm.example');
  return record;
};

describe('a signature holds for the very bytes that were sent', () => {
  const texts = [
    'Hello',
    '',
    '.\r\n..\r\n.leading dots\r\n',
    'Grüße aus 日本 👋',
    '  two  spaces \t and tabs \t\r\n\r\n\r\n',
    'x'.repeat(5_000),
    'From here\r\n=20\r\n--=_boundary--',
  ];
  test.each([
    '',
    'html: true, footer: "Ihr Büro"',
    'text: "{{ .fields.none }}", cc: c@b.example, bcc: d@b.example, headers: {X-Kind: é}',
  ])('output: {%s}', async (output) => {
    const { sink, send } = await stage({ output });
    for (const text of texts) expect(await send(text)).toBe(200);
    expect(sink.mails).toHaveLength(texts.length);
    for (const { raw } of sink.mails) {
      const verdict = verifyDkim(raw, published);
      expect(verdict).toMatchObject({ isBodyTrue: true, isSignatureTrue: true });
      expect(Object.fromEntries(verdict.tags)).toMatchObject({ d: 'firm.example', s: 's1' });
      expect(verdict.signedHeaders).toEqual(
        expect.arrayContaining([
          ...['from', 'to', 'reply-to', 'subject', 'date', 'message-id'],
          ...['mime-version', 'content-type'],
        ]),
      );
      expect(verdict.signedHeaders).not.toContain('bcc');
      for (const line of raw.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
    }
  });

  test('and for no others', async () => {
    const { sink, send } = await stage({});
    await send('Pay 10 €');
    const [{ raw } = { raw: '' }] = sink.mails;
    const forged = [
      raw.replace('Subject: ', 'Subject: Re: '),
      raw.replace('From: ', 'From: Evil '),
      `${raw}more\r\n`,
      raw.replace(/\r\n\r\n./s, '\r\n\r\nX'),
    ];
    for (const mail of forged) {
      const { isBodyTrue, isSignatureTrue } = verifyDkim(mail, published);
      expect(isBodyTrue && isSignatureTrue).toBe(false);
    }
  });
});

test.each([
  ['PKCS#8', pkcs8],
  ['PKCS#1', pkcs1],
  ['with spaces around it', `\n  ${pkcs8}\n `],
  ['with Windows’ line breaks', pkcs8.replaceAll('\n', '\r\n')],
  ['on one line, as files with variables have it', pkcs1.replaceAll('\n', '\\n')],
])('takes a key as it comes: %s', async (_, pem) => {
  const { sink, send } = await stage({ pem });
  expect(await send('Hello')).toBe(200);
  expect(verifyDkim(sink.mails[0]?.raw ?? '', published)).toMatchObject({ isSignatureTrue: true });
});

const pem = (type: 'pkcs8' | 'sec1', made: ReturnType<typeof rsa>) =>
  made.export({ type, format: 'pem' }).toString();
const malformed =
  '`dkim.key` is no private key in PEM format that is RSA of 1024 bits or more, without a passphrase';

test.each([
  ['nothing', '', '`dkim.key` rendered empty; is its environment variable set?'],
  ['no key', 'hunter2', malformed],
  ['half a key', pkcs8.slice(0, 300), malformed],
  ['the public key', createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(), malformed],
  ['a short one', pem('pkcs8', rsa(768)), `${malformed}; it is RSA of 768 bits`],
  ['one for Ed25519', pem('pkcs8', generateKeyPairSync('ed25519').privateKey), `${malformed}; it is ed25519`],
  [
    'one for P-256',
    pem('sec1', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    `${malformed}; it is ec`,
  ],
  [
    'one with a passphrase',
    key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' }).toString(),
    malformed,
  ],
])('by %s nothing is signed, and nothing is sent', async (_, pem, reason) => {
  const { relay, sink, send } = await stage({ pem });
  expect(await send('Hello')).toBe(500);
  expect(sink.mails).toHaveLength(0);
  expect(reasons(relay)).toEqual([reason]);
  for (const line of pem.split('\n').filter((line) => line.length > 4)) {
    expect(JSON.stringify(relay.logged)).not.toContain(line);
  }
});

test('a mail that is tried again has the same signature', async () => {
  const seen: string[] = [];
  const sink = await smtpSink({
    onMessage: (raw) => (seen.push(raw) === 1 ? '451 4.7.1 later' : undefined),
  });
  const relay = await relayWith({
    config: `forms: {contact: {fields: [{name: a}], outputs: [
      {type: smtp, host: 127.0.0.1, port: ${sink.port}, from: a@firm.example, to: a@b.example, mapping: "*",
       dkim: {domain: firm.example, selector: s1, key: '{{ env "DKIM_KEY" }}'}}]}}`,
    env: { DKIM_KEY: pkcs8 },
  });
  expect((await relay.submit('contact', 'a=1')).status).toBe(200);
  expect(seen).toHaveLength(2);
  expect(seen[0]).toBe(seen[1]);
});

describe('relay explain and the studio', () => {
  async function shown(env: Environment) {
    const stories: SubmissionReport[] = [];
    const { handle } = createDryRun({
      config: `forms: {contact: {fields: [{name: a}], outputs: [
        {type: smtp, host: mail.firm.example, from: a@firm.example, to: a@b.example, mapping: "*",
         static: {token: '{{ env "TOKEN" }}'}, dkim: {domain: firm.example, selector: s1, key: '{{ env "DKIM_KEY" }}'}}]}}`,
      env,
      services: { log: () => {}, now: () => 1_893_456_000_123 },
      onReport: (story) => stories.push(story),
    });
    await handle({
      method: 'POST',
      path: '/api/v1/submit/contact',
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('a=Gr%C3%BC%C3%9Fe'),
      id: 'request-1',
    });
    const [story] = stories;
    const sent = story?.outputs[0]?.sent[0];
    return { story, source: sent?.kind === 'mail' ? sent.source : '' };
  }

  test('show the signature as it would be, and no secret', async () => {
    const env = { DKIM_KEY: pkcs8, TOKEN: 'hunter2hunter2' };
    const { story, source } = await shown(env);
    expect(source).toMatch(/^DKIM-Signature: v=1; /);
    expect(source).toContain('[TOKEN]');
    const whole = source.replace('[TOKEN]', env.TOKEN);
    expect(verifyDkim(whole, published)).toMatchObject({ isBodyTrue: true, isSignatureTrue: true });
    for (const line of [env.TOKEN, ...pkcs8.split('\n').slice(1, -2)]) {
      expect(JSON.stringify(story)).not.toContain(line);
    }
  });

  test('sign with a made-up key where none is set, and say so', async () => {
    const { story, source } = await shown({ TOKEN: 'x' });
    expect(story).toMatchObject({
      outcome: 'delivered',
      notes: ['DKIM_KEY is not set here: a made-up key signs'],
    });
    expect(source).toMatch(/^DKIM-Signature: v=1; /);
  });
});
