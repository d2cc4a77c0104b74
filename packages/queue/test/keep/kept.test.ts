import {
  contact,
  type HttpSinkOptions,
  httpSink,
  relayWith,
  smtpSink,
} from '../../../../test/support/index.ts';
import { expectLogged, untilLogged } from '../../../../test/support/logged.ts';
import { createMemoryStore } from '../../../../test/support/memory_store.ts';
import { failed } from '../../../stores/src/failures.ts';
import { openNewsletter } from '../../../visitor-mails/test/mails/newsletter.ts';

const retries0 = '[{type: http_post, url: $sink, mapping: "*", retries: 0}]';

/** A form that queues what its output could not deliver. */
const start = (answer: HttpSinkOptions['answer'], more: Parameters<typeof contact>[0] = {}) =>
  contact({
    top: 'keep: {in: /var/lib/form-relay}',
    keys: 'keep: failed',
    fields: '[{name: email}]',
    outputs: retries0,
    answer,
    store: createMemoryStore,
    ...more,
  });

const email = ['email', 'a@b.example'] as const;

describe('failed deliveries are queued', () => {
  test('the visitor sees a success, and the delivery succeeds when the server is back', async () => {
    let status = 503;
    const relay = await start(() => ({ status }));
    const { requests } = relay.sink;
    expect((await relay.send(email)).status).toBe(200);
    expect(relay.logged.at(-1)).toMatchObject({
      event: 'submission',
      outcome: 'kept',
      deliveries: [{ outcome: 'kept', tries: 1 }],
    });
    status = 200;
    relay.advance(59_000);
    expect(requests).toHaveLength(1);
    relay.advance(1_000);
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    expect(requests[1]?.headers['idempotency-key']).toBe(requests[0]?.headers['idempotency-key']);
    await expect
      .poll(() => relay.logged.at(-1))
      .toMatchObject({ event: 'kept_delivery', outcome: 'delivered', tries: 2 });
  });

  test.each([
    ['what nobody has is not called delivered', '503', '503', 'kept'],
    [
      'nor when only outputs owe it that may fail',
      '503, on_error: continue',
      '503, on_error: continue',
      'kept',
    ],
    ['what another output took is', '200', '503', 'delivered'],
  ])('in the log, %s', async (_, first, second, outcome) => {
    const outputs = [first, second].map((answer) => {
      const [status, more = 'on_error: fail'] = answer.split(', ');
      return `{type: http_post, url: "$origin/${status}", mapping: "*", retries: 0, ${more}}`;
    });
    const relay = await start(({ url }) => ({ status: Number(url.slice(1)) }), {
      outputs: `[${outputs}, {type: webhook, url: "$origin/200", when: {field: email, is: nobody}}]`,
    });
    expect((await relay.send(email)).status).toBe(200);
    expect(relay.logged.at(-1)).toMatchObject({ event: 'submission', outcome });
  });

  test('a store that fails makes the submission fail', async () => {
    const effects = { openStore: () => Promise.reject(new Error('no')) };
    const relay = await start(() => ({ status: 503 }), { effects });
    expect((await relay.send(email)).status).toBe(500);
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'keep_failed', level: 'error' }));
  });

  test.each(['failed', 'always'])('a busy store says when to retry, with keep: %s', async (what) => {
    const keep = () => Promise.reject(failed('store_busy', {}, { retryAfterMs: 2_100 }));
    const store = () => createMemoryStore(Date.now, { keep });
    const relay = await start(() => ({ status: 503 }), { keys: `keep: ${what}`, store });
    const answer = await relay.send(email);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '3']);
    expect(relay.sink.requests).toHaveLength(what === 'failed' ? 1 : 0);
    expectLogged(relay, { outcome: 'busy', reason: expect.stringContaining('too many writes are waiting') });
  });
});

/** The response to visitors whose submission is queued: the usual one, or the owner's own text. */

/** A relay whose first output is down until the test brings it up, and whose queue is in memory. */
async function open(keys: string, { outputKeys = '', outputs = '' } = {}) {
  let status = 503;
  const sink = await httpSink({ answer: () => ({ status }) });
  const relay = await relayWith({
    config: `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    ${keys.replaceAll('\n', '\n    ')}
    fields: [{name: email, type: email}]
    outputs:
      - {type: http_post, url: "${sink.origin}/", mapping: "*", retries: 0${outputKeys}}
${outputs}
`,
    store: createMemoryStore,
  });
  const send = (headers: Record<string, string> = {}, query = '') =>
    relay.post(`/api/v1/submit/contact${query}`, 'email=ada%40visitor.example', headers);
  return {
    relay,
    sink,
    send,
    mend: () => {
      status = 200;
    },
  };
}

const htmx = { 'hx-request': 'true' };
const problemJson = { accept: 'application/problem+json' };
const browser = { accept: 'text/html,*/*;q=0.8' };

const link = '<a href="https://acme.example/status">the status</a>';
const kept = `keep: failed
kept_message: We have it. See [the status](https://acme.example/status).`;
const fragment = `<div class="form-confirmation">We have it. See ${link}.</div>`;

describe('the owner’s words, in each kind of response', () => {
  test.each(['failed', 'always'])('keep: %s', async (what) => {
    const { send } = await open(kept.replace('failed', what));
    expect(await send(htmx)).toMatchObject({ status: 200, text: `${fragment}\n` });
    const page = await send({}, '?as=page');
    expect(page.status).toBe(200);
    expect(page.text).toContain(fragment);
    const script = await send(problemJson);
    expect(script.status).toBe(200);
    expect(script.json).toEqual({
      message: 'ok',
      confirmation: 'We have it. See the status.',
      confirmation_html: `We have it. See ${link}.`,
    });
    expect(await send()).toMatchObject({ status: 200, text: '{"message":"ok"}' });
  });

  test('replace a redirect', async () => {
    const { send } = await open(`${kept}\nredirect: https://acme.example/thanks`);
    const page = await send(browser);
    expect([page.status, page.headers.get('location')]).toEqual([200, null]);
    expect(page.text).toContain(fragment);
    expect((await send(problemJson)).json).not.toHaveProperty('redirect');
    expect((await send()).text).toBe('{"message":"ok"}');
  });

  test('are in the visitor’s language', async () => {
    const { send } = await open(`keep: failed
languages: [en, de]
kept_message: {en: We have it., de: Wir haben es.}`);
    expect((await send({ ...htmx, 'accept-language': 'de' })).text).toContain('Wir haben es.');
    expect((await send({ ...htmx, 'accept-language': 'fr' })).text).toContain('We have it.');
    expect((await send(problemJson, '?lang=de')).json).toMatchObject({ confirmation: 'Wir haben es.' });
  });
});

describe('the same as always', () => {
  const keys = 'keep: failed\nconfirmation: Thank you!\nredirect: https://acme.example/thanks';

  test('without the owner’s words: a redirect stays a redirect', async () => {
    const { send } = await open(keys);
    const page = await send(browser);
    expect([page.status, page.headers.get('location')]).toEqual([303, 'https://acme.example/thanks']);
    expect((await send(htmx)).text).toContain('Thank you!');
    expect((await send(problemJson)).json).toMatchObject({
      confirmation: 'Thank you!',
      redirect: 'https://acme.example/thanks',
    });
  });
});

test('without the owner’s words, a queued submission gets the response of a delivered one', async () => {
  const { send, mend } = await open('keep: failed');
  const all = async () => {
    const answers = [];
    for (const headers of [htmx, problemJson, browser, {}]) {
      for (const query of ['', '?as=page']) answers.push(await send(headers, query));
    }
    return answers.map(({ status, text, headers }) => [status, text, headers.get('location')]);
  };
  const whileDown = await all();
  mend();
  expect(whileDown).toEqual(await all());
});

test('a mail to the visitor is sent, because a queued delivery counts as accepted', async () => {
  const smtp = await smtpSink();
  const { send, relay } = await open(
    `keep: failed
confirmation_mail: {to: email, subject: Hello, text: We have it.}`,
    {
      outputs: `      - {type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: office@acme.example, to: office@acme.example, mapping: "*"}`,
    },
  );
  expect((await send()).status).toBe(200);
  await expect
    .poll(() => smtp.mails.map(({ envelope }) => envelope.to))
    .toContainEqual(['ada@visitor.example']);
  await untilLogged(relay, { event: 'confirmation_mail_sent' });
});

describe('double opt-in', () => {
  test('the submission in the link is queued once, and arrives once', async () => {
    let status = 503;
    const at = await openNewsletter({
      formKeys: 'keep: failed\nkept_message: You are on the list soon.',
      outputKeys: ', retries: 0',
      forms: 'keep: {in: /var/lib/form-relay}',
      list: { answer: () => ({ status }) },
      store: createMemoryStore,
    });
    expect((await at.subscribe()).status).toBe(200);
    expect(at.list.requests).toEqual([]);
    const first = await at.confirm();
    expect(first.status).toBe(200);
    expect(first.text).toContain('You are on the list soon.');
    const again = await at.confirm();
    expect([again.status, again.text.includes('You are on the list soon.')]).toEqual([200, true]);
    expect(at.list.requests).toHaveLength(1);
    status = 200;
    at.advance(60_000);
    await untilLogged(at, { event: 'kept_delivery', outcome: 'delivered' });
    const keys = at.list.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  test('if the store fails, the page with a button is shown, as without a store', async () => {
    const at = await openNewsletter({
      formKeys: 'keep: failed',
      outputKeys: ', retries: 0',
      forms: 'keep: {in: /var/lib/form-relay}',
      list: { answer: () => ({ status: 503 }) },
      effects: { openStore: () => Promise.reject(new Error('it is full')) },
    });
    await at.subscribe();
    const page = await at.confirm();
    expect(page.status).toBe(500);
    expect(page.text).toContain('<button');
    expect(page.text).not.toContain('full');
  });
});
