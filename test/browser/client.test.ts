import { readFileSync } from 'node:fs';
import type * as Client from '../../packages/element/src/element/client.ts';
import { read } from '../docs/papers.ts';
import { httpSink } from '../support/index.ts';
import { compile, react } from './compile.ts';
import { describeInBrowser, documentWith, openPage, stage } from './stage.ts';

const dist = new URL('../../dist/', import.meta.url);
/** The client as installed from npm. */
const client = (await import(`${dist.href}client.mjs`)) as typeof Client;

const forms = `
  contact:
    confirmation: Thank you, really.
    fields:
      - {name: name, min_length: 2}
      - {name: topics, type: checkboxes, options: [sales, support]}
      - {name: consent, type: checkbox}
      - {name: seats, type: number}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
  timed:
    redirect: https://example.com/thanks
    fields: [{name: name}]
    spam: {min_fill_seconds: 2, form_ttl: 1h}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const addressOf = (origin: string, form = 'contact') => `${origin}/api/v1/submit/${form}`;

test('the script is under 2 KB; the code that solves puzzles is loaded only when needed', () => {
  const parts = ['client', 'sending'].map((name) => readFileSync(new URL(`${name}.mjs`, dist)).length);
  expect((parts[0] ?? 0) + (parts[1] ?? 0)).toBeLessThan(2_048);
});

test.each([
  ['proof_of_work: true', 'Hello'],
  ['proof_of_work: true, min_fill_seconds: 0, form_ttl: 1h', 'Hello'],
  ['doubt: {challenge: 1}, signals: {links: 10}', 'https://shop.example/ '.repeat(10)],
])('{%s}: challenges are solved, and sent along on the next attempt', async (spam, text) => {
  const at = await stage({
    forms: `
  contact:
    fields: [{name: text}]
    spam: {${spam}}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`,
  });
  const token = /min_fill/.test(spam) && (await (await fetch(`${at.origin}/api/v1/token/contact`)).text());
  const data = token ? { _ts: /value="([^"]+)/.exec(token)?.[1], text } : { text };
  expect(await client.submitForm(addressOf(at.origin), data)).toMatchObject({ kind: 'sent' });
  expect(at.delivered).toEqual([[['text', text]]]);
});

test('an object: lists, boxes, numbers; missing values are not sent', async () => {
  const at = await stage({ forms });
  const result = await client.submitForm(`${addressOf(at.origin)}?as=page`, {
    name: 'Ada',
    topics: ['sales', 'support'],
    consent: true,
    seats: 0,
    other: undefined,
    another: null,
    further: false,
  });
  expect(result).toEqual({ kind: 'sent', confirmation: 'Thank you, really.' });
  expect(at.bodies).toEqual(['consent=on&name=Ada&seats=0&topics=sales&topics=support']);
});

test('FormData, and its errors', async () => {
  const at = await stage({ forms });
  const data = new FormData();
  data.append('name', 'A');
  expect(await client.submitForm(new URL(addressOf(at.origin)), data)).toEqual({
    kind: 'invalid',
    errors: [
      {
        field: 'name',
        label: 'Name',
        code: 'too_short',
        message: 'Enter at least 2 characters.',
        pointer: '/name',
      },
    ],
  });
});

test('an expired form provides a token for the next attempt, and the redirect after it', async () => {
  const at = await stage({ forms });
  const token = async () => /value="([^"]+)"/.exec((await at.get('/api/v1/token/timed')).text)?.[1];
  const old = await token();
  at.advance(3_600_001);
  const result = await client.submitForm(addressOf(at.origin, 'timed'), { name: 'Ada', _ts: old });
  if (result.kind !== 'expired') throw new Error(result.kind);
  const { name, value } = result.token;
  expect(await client.submitForm(addressOf(at.origin, 'timed'), { name: 'Ada', [name]: value })).toEqual({
    kind: 'sent',
    confirmation: 'Thank you.',
    redirect: 'https://example.com/thanks',
  });
  expect(at.delivered).toHaveLength(1);
});

test('a submission never rejects: failed delivery, too many requests, no relay, another server', async () => {
  const down = await stage({ forms, sink: { answer: () => ({ status: 500 }) } });
  expect(await client.submitForm(addressOf(down.origin), { name: 'Ada' })).toMatchObject({
    kind: 'failed',
    status: 500,
    code: 'undelivered',
    message: 'the submission could not be delivered; please try again later',
  });
  const busy = await stage({ forms, env: { THROTTLE_RATE_LIMIT: '0.1', THROTTLE_BURST_LIMIT: '1' } });
  await client.submitForm(addressOf(busy.origin), { name: 'Ada' });
  expect(await client.submitForm(addressOf(busy.origin), { name: 'Ada' })).toMatchObject({
    kind: 'failed',
    status: 429,
    code: 'throttled',
    retryAfterSeconds: 10,
  });
  const unreached = {
    kind: 'failed',
    message: 'The form could not be sent. Please check your connection and try again.',
  };
  expect(await client.submitForm('http://127.0.0.1:9/api/v1/submit/contact', {})).toEqual(unreached);
  expect(await client.submitForm('no address', {})).toEqual(unreached);
  for (const [status, body] of [
    [200, '<!doctype html><title>Log in</title>'],
    [200, '{"message":"welcome"}'],
    [502, 'null'],
  ] as const) {
    const other = await httpSink({ answer: () => ({ status, body }) });
    expect(await client.submitForm(`${other.origin}/api/v1/submit/contact`, {})).toEqual(unreached);
  }
});

test('form-relay/element does nothing without a document, as on a server', async () =>
  expect(Object.keys(await import(`${dist.href}element.mjs`))).toEqual([]));

describeInBrowser('form-relay in a browser', () => {
  const serve = (at: Awaited<ReturnType<typeof stage>>) => {
    for (const name of ['client', 'sending', 'element', 'parts', 'attach', 'guard', 'solve']) {
      const code = readFileSync(new URL(`${name}.mjs`, dist), 'utf8');
      at.serve(`/${name}.mjs`, code, { 'content-type': 'text/javascript' });
    }
  };

  test('a form, even with a field named like a form property', async () => {
    const at = await stage({ forms });
    serve(at);
    at.serve('/page', documentWith('<form><input name="name" value="Ada"><input name="elements"></form>'));
    const page = await openPage({ url: `${at.host}/page` });
    // As text, because the test's own loader would process the import.
    const result = await page.evaluate(
      `import('/client.mjs').then(({ submitForm }) =>
        submitForm('${addressOf(at.origin)}', document.querySelector('form')))`,
    );
    expect(result).toEqual({ kind: 'sent', confirmation: 'Thank you, really.' });
    expect(at.delivered).toEqual([[['name', 'Ada']]]);
  });
});

test('the React example compiles against the published types', () => {
  const published = ['package.json', 'dist/client.d.mts', 'dist/element.d.mts'];
  const installed = published.map((path) => [`node_modules/form-relay/${path}`, read(path)]);
  const { said } = compile({
    ...Object.fromEntries(installed),
    'ContactForm.tsx': read('examples/react/ContactForm.tsx'),
    'react.d.ts': react,
    'wrong.ts': wrong,
  });
  expect(said).toBe('');
});

/** Each marked line must not compile, which tests the types. */
const wrong = `import 'form-relay/element';
import { submitForm } from 'form-relay/client';
const result = await submitForm('https://example.com', { a: 1, b: [true, 'x'], c: undefined });
// @ts-expect-error: only what was sent has a confirmation
result.confirmation;
// @ts-expect-error: a form has no values that are objects
await submitForm('https://example.com', { a: {} });
switch (result.kind) {
  case 'sent': result.confirmation; break;
  case 'invalid': result.errors[0]?.message; break;
  case 'expired': result.token.value; break;
  case 'failed': result.message; break;
  default: result satisfies never;
}
export {};
`;
