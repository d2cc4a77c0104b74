/** What the owner of a form is told of earlier messages that a doubted one is much like. */
import { expect, test } from 'vitest';
import { openNewsletter } from '../../packages/visitor-mails/test/mails/newsletter.ts';
import { httpSink, relayWith, smtpSink } from '../spec/stage.ts';
import { decodeMail } from '../support/mail.ts';
import { createMemoryStore } from '../support/memory_store.ts';
import type { TestRelayOptions } from '../support/relay.ts';

/** A copy of a campaign, with its own link. */
const copy = (nth: number) =>
  `Launch our trading robot today and earn money while you sleep: https://robot-${'abcdefgh'[nth]}.example/`;

const spam =
  '{doubt: {tag: 1}, signals: {repeated: 4, links: 0, program: 0, scams: 0, offers: 0, mass_mail: 0}}';

interface Options extends TestRelayOptions {
  readonly status?: () => number;
  readonly top?: string;
  readonly keys?: string;
}

/** A form that is sent by another person each time, from 14:20 on, a minute apart. `$sink`: the address of its output. */
async function open(outputs: string, { status = () => 200, top = '', keys = '', ...options }: Options = {}) {
  const sink = await httpSink({ answer: () => ({ status: status() }) });
  let now = Date.parse('2026-11-22T14:20:05Z');
  const relay = await relayWith({
    config: `
${top}
forms:
  contact:
    spam: ${spam}
    fields: [{name: message, type: textarea, required: true}]
    outputs: [${outputs.replaceAll('$sink', `"${sink.origin}/"`)}]
    ${keys}
`,
    ...options,
    env: { TRUSTED_PROXIES: '127.0.0.0/8' },
    effects: { now: () => now, ...options.effects },
  });
  let nth = 0;
  const send = async (more: [string, string][] = []) => {
    nth += 1;
    const from = { 'x-forwarded-for': `192.0.2.${nth}` };
    const answer = await relay.submit('contact', [['message', copy(nth)], ...more], from);
    now += 60_000;
    return answer.headers.get('x-request-id') ?? '';
  };
  return {
    ...relay,
    sink,
    send,
    pass: (ms: number) => {
      now += ms;
    },
    bodies: () => sink.requests.map(({ body }) => new URLSearchParams(body)),
  };
}

const post = '{type: http_post, url: $sink, mapping: {text: message, alike: _similar}}';

test('the log names the earlier ones, newest first', async () => {
  const form = await open(post);
  const ids: string[] = [];
  for (let nth = 0; nth < 3; nth += 1) ids.push(await form.send());
  const similar = { count: 2, since: '2026-11-22T14:20:05.000Z', ids: [ids[1], ids[0]] };
  const lines = form.logged.filter(({ event }) => event === 'submission');
  expect(lines.map((line) => line.similar)).toEqual([
    undefined,
    { count: 1, since: similar.since, ids: [ids[0]] },
    similar,
  ]);
  expect(JSON.stringify(lines)).not.toContain('robot');
});

test('all are counted, and the last 16 named', async () => {
  const form = await open(post);
  for (let nth = 0; nth < 41; nth += 1) {
    const message = copy(nth % 8);
    await form.submit('contact', [['message', message]], { 'x-forwarded-for': `203.0.113.${nth}` });
    form.pass(3_600_000);
  }
  const similar = form.logged.findLast(({ event }) => event === 'submission')?.similar as { ids: string[] };
  expect(similar).toEqual({ count: 40, since: '2026-11-22T14:20:05.000Z', ids: expect.any(Array) });
  expect(similar.ids).toHaveLength(16);
});

test('mails and chats say how many came before and since when, in the language of the form', async () => {
  const smtp = await smtpSink();
  const outputs = `{type: smtp, host: 127.0.0.1, port: ${smtp.port}, to: a@acme.example, html: true}, {type: slack, url: $sink, on_error: continue}`;
  const form = await open(outputs, { top: 'language: en' });
  for (let nth = 0; nth < 3; nth += 1) await form.send();
  const said = 'Possible spam: similar earlier messages: 2, since 22 November at 14:20 UTC';
  expect(decodeMail(smtp.mails[2]?.raw ?? '').text.replaceAll(/=\r?\n/g, '')).toContain(said);
  expect(form.sink.requests[2]?.body).toContain(
    'similar earlier messages: 2, since 22 November at 14:20 UTC',
  );
  // The mark, by which receivers filter, stays as it was.
  const [first, , third] = smtp.mails.map(({ raw }) => new Map(decodeMail(raw).headers).get('X-Form-Doubt'));
  expect([first, third]).toEqual([undefined, '3 (repeated)']);
});

test('an output gets the number if it asks for it, and visitors cannot send one', async () => {
  const form = await open(post);
  await form.send([['_similar', '99 since 2026-01-01T00:00:00Z']]);
  await form.send();
  expect(form.bodies().map((pairs) => pairs.get('alike'))).toEqual([null, '1 since 2026-11-22T14:20:05Z']);
  const plain = await open('{type: http_post, url: $sink, mapping: "*"}');
  for (let nth = 0; nth < 2; nth += 1) await plain.send();
  expect(plain.bodies().map((pairs) => [...pairs.keys()])).toEqual([['message'], ['_doubt', 'message']]);
});

test('what was kept still says so when it is delivered', async () => {
  let status = 200;
  const form = await open(post, {
    status: () => status,
    top: 'keep: {in: /var/lib/form-relay}',
    keys: 'keep: failed',
    effects: {
      random: () => 0,
      sleep: async () => {},
      openStore: async () => createMemoryStore(() => form.relay.services.now()),
    },
  });
  await form.send();
  status = 503;
  await form.send();
  const tried = form.sink.requests.length;
  status = 200;
  form.pass(3_600_000);
  await expect.poll(() => form.sink.requests.length, { timeout: 20_000 }).toBe(tried + 1);
  expect(form.bodies().at(-1)?.get('alike')).toBe('1 since 2026-11-22T14:20:05Z');
});

test('the link of a double opt-in carries it', async () => {
  const news = await openNewsletter({
    formKeys: `spam: ${spam}`,
    statics: "alike: '{{ .fields._similar }}'",
    env: { TRUSTED_PROXIES: '127.0.0.0/8' },
  });
  for (const nth of [1, 2]) {
    const values = { email: `ann${nth}@example.com`, name: copy(nth).slice(0, 80) };
    await news.subscribe(values, { 'x-forwarded-for': `192.0.2.${nth}` });
  }
  await news.confirm();
  expect(new URLSearchParams(news.list.requests[0]?.body).get('alike')).toMatch(/^1 since 20[\dT:-]+Z$/);
});
