/** Fields of type consent, through real HTTP. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contact, decodeMail, relayWith, smtpSink, tempFolder } from '../../../test/support/index.ts';
import { readStrictly } from '../../../test/support/strict_mail.ts';
import { optInEnv } from '../../visitor-mails/test/mails/newsletter.ts';

const english = 'I agree to the [terms](https://example.com/terms?a=1&b="2").';
const german = 'Ich stimme den Bedingungen zu. ✓';
const hash = (wording: string) => createHash('sha256').update(wording, 'utf8').digest('hex');

async function terms(keys = 'version: 3') {
  const label = JSON.stringify({ en: english, de: german });
  const relay = await contact({
    effects: { now: () => Date.UTC(2026, 10, 25, 10) },
    fields: `[{name: terms, type: consent, label: ${label}, ${keys}}]`,
    keys: 'languages: [en, de], bodies: [json]',
    outputs: `[{type: http_post, url: $origin/post, mapping: "*"}, {type: webhook, url: $origin/json, mapping: "*"},
      {type: slack, url: $origin/chat}]`,
    answer: () => ({ body: 'ok' }),
  });
  const { sink } = relay;
  return { relay, bodyAt: sink.bodyAt, sink };
}

const boxIn = (text: string) =>
  /<input type="checkbox"[^>]* value="(?<value>[^"]*)"/.exec(text)?.groups?.value;

test.each([
  ['en', english],
  ['de', german],
])('the record contains the wording that was read in %s, and the time', async (language, wording) => {
  const { relay, bodyAt } = await terms();
  const value = boxIn((await relay.get(`/api/v1/form/contact?lang=${language}`)).text);
  expect(value).toBe(hash(wording));
  // The response's language does not matter.
  const sent = await relay.submit('contact', [['terms', value ?? '']], { 'accept-language': 'de' });
  expect(sent.status).toBe(200);
  const at = '2026-11-25T10:00:00Z';
  const record = `agreed ${at}; version 3; language ${language}; sha256:${hash(wording)}`;
  expect([...new URLSearchParams(bodyAt('/post'))]).toEqual([['terms', record]]);
  expect(JSON.parse(bodyAt('/json'))).toEqual({
    terms: { agreed_at: at, version: '3', language, sha256: hash(wording) },
  });
  const words = [
    ...(language === 'de' ? [german] : []),
    'Agreed: 25 November 2026 at 10:00 UTC',
    'Version: 3',
    `Fingerprint (SHA-256): ${hash(wording).slice(0, 12)}…`,
  ];
  expect(bodyAt('/chat')).toContain(JSON.stringify(`${english}\n    ${words.join('\n    ')}`));
});

test.each(['on', 'true', 'I agree'])(
  'a tick without the wording’s hash is answered with what pages must send: %s',
  async (value) => {
    const { relay, sink } = await terms();
    const answer = await relay.submit('contact', [['terms', value]]);
    expect(answer.status).toBe(422);
    const error = (answer.json as { error: string }).error;
    expect(error).toContain(`must send the value ${hash(english)} for this checkbox`);
    expect(sink.requests).toEqual([]);
  },
);

test.each([
  hash('I agree to something else.'),
  hash(english).toUpperCase(),
  `agreed 2020-01-01T00:00:00Z; version 9; language en; sha256:${hash(english)}`,
  `${hash(english)}; version 9`,
])('a tick for another wording is rejected: %s', async (value) => {
  const { relay, sink } = await terms();
  const answer = await relay.submit('contact', [['terms', value]], { 'hx-request': 'true' });
  expect(answer.status).toBe(422);
  expect(answer.text).toContain('This text has changed since the form was opened.');
  // The visitor must tick the box again.
  expect(boxIn(answer.text)).toBe(hash(english));
  expect(answer.text).not.toContain('checked');
  expect(sink.requests).toEqual([]);
});

test('other submitted values cannot change the record', async () => {
  const { relay, bodyAt } = await terms();
  const sent = {
    terms: hash(english),
    'terms.version': '9',
    version: '9',
    agreed_at: '2020',
    language: 'fr',
  };
  expect((await relay.submit('contact', Object.entries(sent))).status).toBe(200);
  expect(bodyAt('/post')).toContain('version+3%3B+language+en');
  expect(bodyAt('/post')).not.toMatch(/2020|9%3B|fr/);
});

test('in JSON, true stands for the first wording, and two ticks are rejected', async () => {
  const { relay, bodyAt } = await terms('');
  const post = (value: unknown) =>
    relay.submit('contact', JSON.stringify({ terms: value }), { 'content-type': 'application/json' });
  expect((await post(false)).status).toBe(422);
  expect((await post([hash(english), hash(german)])).status).toBe(422);
  expect((await post(true)).status).toBe(200);
  expect(JSON.parse(bodyAt('/json')).terms).toMatchObject({ language: 'en', sha256: hash(english) });
});

const mailsTo = (port: number, more = '') =>
  `{type: smtp, host: 127.0.0.1, port: ${port}, from: a@firm.example, to: b@firm.example, html: true${more}}`;

/** The plain-text part of a mail. */
const textOf = (raw = '') => readStrictly(raw).parts[0]?.text.replaceAll('\r\n', '\n');

test('mails say in the form’s language which wording was agreed to', async () => {
  const smtp = await smtpSink();
  const linked = 'I agree to the [terms](https://example.com/terms).';
  const label = JSON.stringify({ en: linked, de: german });
  const relay = await contact({
    effects: { now: () => Date.UTC(2026, 10, 25, 10) },
    fields: `[{name: terms, type: consent, label: ${label}}]`,
    keys: 'languages: [de, en]',
    outputs: `[${mailsTo(smtp.port)}, ${mailsTo(smtp.port, ', mapping: {AGB: terms}')}]`,
  });
  const texts = async (wording: string) => {
    const before = smtp.mails.length;
    expect((await relay.send(['terms', hash(wording)])).status).toBe(200);
    return smtp.mails.slice(before).map(({ raw }) => textOf(raw));
  };
  const record = (wording: string) =>
    `    Zugestimmt: 25. November 2026 um 10:00 UTC\n    Fingerabdruck (SHA-256): ${hash(wording).slice(0, 12)}…`;
  // The label is the wording, so the mail does not repeat it.
  const own = [
    `contact\n\n${german}:\n${record(german)}`,
    `contact\n\nAGB:\n    ${german}\n${record(german)}`,
  ];
  expect((await texts(german)).toSorted()).toEqual(own.toSorted());
  const inEnglish = `    I agree to the terms.\n${record(linked)}`;
  const other = [`contact\n\n${german}:\n${inEnglish}`, `contact\n\nAGB:\n${inEnglish}`];
  expect((await texts(linked)).toSorted()).toEqual(other.toSorted());
});

test('a wording that has changed before the delivery is not replaced by the new one', async () => {
  const smtp = await smtpSink();
  const config = (label: string) => `
cache_ttl: 1s
forms:
  join:
    fields: [{name: email, type: email, required: true}, {name: terms, type: consent, label: ${label}}]
    outputs: [${mailsTo(smtp.port)}]
    double_opt_in: {to: email, subject: Please confirm, text: Click.}`;
  const file = join(tempFolder(), 'webform.yaml');
  writeFileSync(file, config('Old terms'));
  const relay = await relayWith({ env: { ...optInEnv, CONFIG_FILE: file } });
  const sent: [string, string][] = Object.entries({ email: 'ada@visitor.example', terms: hash('Old terms') });
  expect((await relay.submit('join', sent)).status).toBe(200);
  const sealed = /\?t=(\S+)/.exec(decodeMail(smtp.mails[0]?.raw ?? '').text)?.[1];
  writeFileSync(file, config('New terms'));
  relay.advance(60_000);
  await expect.poll(async () => (await relay.get('/api/v1/form/join')).text).toContain('New terms');
  await relay.post('/api/v1/confirm/join', { t: sealed ?? '' });
  await expect.poll(() => smtp.mails.length).toBe(2);
  expect(textOf(smtp.mails[1]?.raw)).toMatch(
    `New terms:\n    A wording that this form no longer has.\n    Agreed: `,
  );
  expect(textOf(smtp.mails[1]?.raw)).toContain(hash('Old terms').slice(0, 12));
});
