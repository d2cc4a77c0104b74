import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Client from '../../packages/element/src/element/client.ts';
import { httpSink, tempFolder } from '../support/index.ts';
import { describeInBrowser, documentWith, openPage, stage } from './stage.ts';

const dist = new URL('../../dist/', import.meta.url);
/** As npm gives it to others. */
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

test('the script is under 2 KB, without what solves puzzles, which is loaded when there is one', () => {
  const parts = ['client', 'sending'].map((name) => readFileSync(new URL(`${name}.mjs`, dist)).length);
  expect((parts[0] ?? 0) + (parts[1] ?? 0)).toBeLessThan(2_048);
});

test.each([
  ['proof_of_work: true', 'Hello'],
  ['proof_of_work: true, min_fill_seconds: 0, form_ttl: 1h', 'Hello'],
  ['doubt: {challenge: 1}, signals: {links: 10}', 'https://shop.example/ '.repeat(10)],
])('{%s}: what is asked for is solved, and sent with once more', async (spam, text) => {
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

test('an object: lists, boxes, numbers; nothing is sent for what is not there', async () => {
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

test('FormData, and what is wrong with it', async () => {
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

test('an expired form brings a token to send it again with, and where to go then', async () => {
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

test('a failed delivery, too many requests, no relay, another server: it never rejects', async () => {
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

test('form-relay/element does nothing where there is no document, as on a server', async () =>
  expect(Object.keys(await import(`${dist.href}element.mjs`))).toEqual([]));

describeInBrowser('form-relay in a browser', () => {
  const serve = (at: Awaited<ReturnType<typeof stage>>) => {
    for (const name of ['client', 'sending', 'element', 'parts', 'attach', 'guard', 'solve']) {
      const code = readFileSync(new URL(`${name}.mjs`, dist), 'utf8');
      at.serve(`/${name}.mjs`, code, { 'content-type': 'text/javascript' });
    }
  };

  test('a form, also one with a field of a telling name', async () => {
    const at = await stage({ forms });
    serve(at);
    at.serve('/page', documentWith('<form><input name="name" value="Ada"><input name="elements"></form>'));
    const page = await openPage({ url: `${at.host}/page` });
    // As text, since the test's own loader would read an import here as its own.
    const result = await page.evaluate(
      `import('/client.mjs').then(({ submitForm }) =>
        submitForm('${addressOf(at.origin)}', document.querySelector('form')))`,
    );
    expect(result).toEqual({ kind: 'sent', confirmation: 'Thank you, really.' });
    expect(at.delivered).toEqual([[['name', 'Ada']]]);
  });
});

/** As much of React's types as the example uses; React itself is not installed here. */
const react = `declare module 'react' {
  export interface FormEvent<T> { preventDefault(): void; readonly currentTarget: T }
  export function useState<S>(initial: S): [S, (next: S) => void];
}
declare module 'react/jsx-runtime' {
  export const jsx: unknown;
  export const jsxs: unknown;
  export namespace JSX {
    type Element = object;
    interface IntrinsicElements {
      [name: string]: {
        [attribute: string]: unknown;
        onSubmit?: (event: import('react').FormEvent<HTMLFormElement>) => unknown;
      };
    }
  }
}
`;

test('the example for React compiles against the types that are published', () => {
  const root = new URL('../../', import.meta.url).pathname;
  const folder = tempFolder();
  const installed = join(folder, 'node_modules/form-relay');
  mkdirSync(join(installed, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  for (const name of ['client.d.mts', 'element.d.mts'])
    cpSync(join(root, 'dist', name), join(installed, 'dist', name));
  cpSync(join(root, 'examples/react/ContactForm.tsx'), join(folder, 'ContactForm.tsx'));
  writeFileSync(join(folder, 'react.d.ts'), react);
  writeFileSync(join(folder, 'wrong.ts'), wrong);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  const tsc = join(root, 'node_modules/.bin/tsc');
  expect(execFileSync(tsc, ['-p', folder, '--pretty', 'false'], { encoding: 'utf8' })).toBe('');
});

const compilerOptions = {
  strict: true,
  noEmit: true,
  module: 'preserve',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  jsx: 'react-jsx',
  types: [],
};

/** Each line that is marked must not compile, so that the types are tested, too. */
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
