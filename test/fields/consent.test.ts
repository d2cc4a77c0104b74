/** Fields of type consent, through real HTTP. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../spec/stage.ts';

const english = 'I agree to the [terms](https://example.com/terms?a=1&b="2").';
const german = 'Ich stimme den Bedingungen zu. ✓';
const hash = (wording: string) => createHash('sha256').update(wording, 'utf8').digest('hex');

async function terms({ keys = 'version: 3', more = '' } = {}) {
  const sink = await httpSink({ answer: () => ({ body: 'ok' }) });
  const label = JSON.stringify({ en: english, de: german });
  const relay = await relayWith({
    effects: { now: () => Date.UTC(2026, 10, 25, 10) },
    config: `
forms:
  join:
    languages: [en, de]
    bodies: [json]
    fields: [{name: terms, type: consent, label: ${label}, ${keys}}${more}]
    outputs:
      - {type: http_post, url: "${sink.origin}/post", mapping: "*"}
      - {type: webhook, url: "${sink.origin}/json", mapping: "*"}
      - {type: slack, url: "${sink.origin}/chat"}`,
  });
  const bodyAt = (path: string) => sink.requests.find(({ url }) => url === path)?.bytes.toString() ?? '';
  return { relay, bodyAt, sink };
}

const boxIn = (text: string) =>
  /<input type="checkbox"[^>]* value="(?<value>[^"]*)"/.exec(text)?.groups?.value;

test.each([
  ['en', english],
  ['de', german],
])('the record says what was read in %s, and when', async (language, wording) => {
  const { relay, bodyAt } = await terms();
  const value = boxIn((await relay.get(`/api/v1/form/join?lang=${language}`)).text);
  expect(value).toBe(hash(wording));
  // The answer's language is not what counts.
  const sent = await relay.submit('join', [['terms', value ?? '']], { 'accept-language': 'de' });
  expect(sent.status).toBe(200);
  const at = '2026-11-25T10:00:00Z';
  const record = `agreed ${at}; version 3; language ${language}; sha256:${hash(wording)}`;
  expect([...new URLSearchParams(bodyAt('/post'))]).toEqual([['terms', record]]);
  expect(JSON.parse(bodyAt('/json'))).toEqual({
    terms: { agreed_at: at, version: '3', language, sha256: hash(wording) },
  });
  expect(bodyAt('/chat')).toContain(record);
});

test.each([
  'on',
  'true',
  hash('I agree to something else.'),
  hash(english).toUpperCase(),
  `agreed 2020-01-01T00:00:00Z; version 9; language en; sha256:${hash(english)}`,
  `${hash(english)}; version 9`,
])('a tick for another wording is refused: %s', async (value) => {
  const { relay, sink } = await terms();
  const answer = await relay.submit('join', [['terms', value]], { 'hx-request': 'true' });
  expect(answer.status).toBe(422);
  expect(answer.text).toContain('This text has changed since the form was opened.');
  // It has to be ticked again.
  expect(boxIn(answer.text)).toBe(hash(english));
  expect(answer.text).not.toContain('checked');
  expect(sink.requests).toEqual([]);
});

test('what else is sent cannot change the record', async () => {
  const { relay, bodyAt } = await terms();
  const sent = {
    terms: hash(english),
    'terms.version': '9',
    version: '9',
    agreed_at: '2020',
    language: 'fr',
  };
  expect((await relay.submit('join', Object.entries(sent))).status).toBe(200);
  expect(bodyAt('/post')).toContain('version+3%3B+language+en');
  expect(bodyAt('/post')).not.toMatch(/2020|9%3B|fr/);
});

test('is required unless the config says otherwise', async () => {
  expect((await (await terms()).relay.submit('join', [])).status).toBe(422);
  const { relay, bodyAt } = await terms({ keys: 'required: false', more: ', {name: who}' });
  expect((await relay.submit('join', [['who', 'Ada']])).status).toBe(200);
  expect(bodyAt('/json')).toBe('{"who":"Ada"}');
});

test('in JSON, true stands for the first wording, and two ticks are none', async () => {
  const { relay, bodyAt } = await terms({ keys: '' });
  const post = (value: unknown) =>
    relay.request('/api/v1/submit/join', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ terms: value }),
    });
  expect((await post(false)).status).toBe(422);
  expect((await post([hash(english), hash(german)])).status).toBe(422);
  expect((await post(true)).status).toBe(200);
  expect(JSON.parse(bodyAt('/json')).terms).toMatchObject({ language: 'en', sha256: hash(english) });
});

test('a link cannot tick it', async () => {
  const { relay } = await terms();
  expect((await relay.get(`/api/v1/form/join?terms=${hash(english)}`)).text).not.toContain('checked');
});
