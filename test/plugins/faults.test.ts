/** A plug-in that misbehaves costs its own work: no submission is lost, delivered twice, or told apart from what became of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RelayResponse } from '../../packages/core/src/http/request.ts';
import type { FormHooks, Plugin } from '../../packages/core/src/plugin.ts';
import { feature } from '../../packages/core/src/plugin.ts';
import type { Middleware } from '../../packages/core/src/submission.ts';
import { type HttpSink, startHttpSink } from '../support/http_sink.ts';
import { startRelay } from '../support/relay.ts';

let sink: HttpSink;
beforeAll(async () => {
  sink = await startHttpSink();
});
afterAll(() => sink.close());

const config = () =>
  `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${sink.origin}", mapping: "*"}]}}`;

const pluginWith = (hooks: FormHooks, more: Partial<Plugin> = {}): Plugin => ({
  name: 'faulty',
  features: [feature({ name: 'faulty', configure: () => hooks })],
  ...more,
});

/** What the sender reads, how often it was delivered, and what the log says of it. */
async function submitTo(plugin: Plugin) {
  const relay = await startRelay({ config: config(), plugins: [plugin] });
  const before = sink.requests.length;
  const answer = await relay.submit('contact', 'name=Ada+Lovelace');
  await relay.close();
  expect(JSON.stringify(relay.logged)).not.toContain('Lovelace');
  expect(answer.text).not.toContain('node:');
  return {
    status: answer.status,
    delivered: sink.requests.length - before,
    errors: relay.logged.filter(({ event }) => event === 'internal_error').length,
  };
}

const failure = () => {
  throw new Error('a bug');
};
const throwsNow: Middleware = () => failure;
const rejects: Middleware = () => async () => failure();

describe('a hook that throws before the delivery', () => {
  const phases = ['onRequest', 'beforeValidation', 'afterValidation', 'aroundDelivery'] as const;
  test.each(phases)('%s is a 500, and nothing is delivered', async (phase) => {
    for (const hook of [throwsNow, rejects])
      expect(await submitTo(pluginWith({ [phase]: hook }))).toEqual({ status: 500, delivered: 0, errors: 1 });
  });
});

describe('a hook that throws after the delivery', () => {
  const later: Middleware = (next) => async (submission) => {
    await next(submission);
    return failure();
  };
  const meanwhile: Middleware = (next) => (submission) => {
    void next(submission);
    return failure();
  };
  test.each(['afterValidation', 'aroundDelivery'] as const)('%s changes nothing', async (phase) => {
    for (const hook of [later, meanwhile])
      expect(await submitTo(pluginWith({ [phase]: hook }))).toEqual({ status: 200, delivered: 1, errors: 1 });
  });
});

test('next delivers once, however often and whenever it is called', async () => {
  const inTurn: Middleware = (next) => async (submission) => {
    await next(submission);
    return next(submission);
  };
  const atOnce: Middleware = (next) => async (submission) => {
    const [one] = await Promise.all([next(submission), next(submission), next(submission)]);
    return one;
  };
  for (const hook of [inTurn, atOnce])
    expect(await submitTo(pluginWith({ afterValidation: hook }))).toEqual({
      status: 200,
      delivered: 1,
      errors: 0,
    });
});

test('what throws beside submissions is a line in the log', async () => {
  const plugin = pluginWith({}, { observe: failure, onConfig: failure, onStop: failure, onClose: failure });
  const { status, delivered } = await submitTo(plugin);
  expect({ status, delivered }).toEqual({ status: 200, delivered: 1 });
});

test('an outcome without a status is a bug of the plug-in, and not an answer', async () => {
  const outcome = { kind: 'odd', message: { code: 'nobody_knows' } } as never;
  expect(await submitTo(pluginWith({ beforeValidation: () => () => outcome }))).toMatchObject({
    status: 500,
    delivered: 0,
  });
  const nothing = undefined as never;
  expect(await submitTo(pluginWith({ beforeValidation: () => () => nothing }))).toMatchObject({
    status: 500,
    delivered: 0,
  });
});

test('what is no answer is a 500, and never a success', async () => {
  const rendererOf = (answer: unknown) => ({
    name: 'mute',
    matches: () => true,
    outcome: () => answer as RelayResponse,
    form: () => answer as RelayResponse,
  });
  for (const answer of [undefined, {}, { status: 0, headers: {}, body: '' }, { status: 200, body: '' }]) {
    const relay = await startRelay({
      config: config(),
      plugins: [{ name: 'mute', renderers: [rendererOf(answer)] }],
    });
    expect((await relay.submit('contact', 'name=Ada')).status).toBe(500);
    await relay.close();
  }
});

test('a header that cannot be sent costs one connection, and not the process', async () => {
  const renderer = {
    name: 'evil',
    matches: () => true,
    outcome: () => ({ status: 200, headers: { 'x-evil': 'a\r\nset-cookie: b' }, body: '' }),
    form: () => ({ status: 200, headers: {}, body: '' }),
  };
  const relay = await startRelay({ config: config(), plugins: [{ name: 'evil', renderers: [renderer] }] });
  await expect(relay.submit('contact', 'name=Ada')).rejects.toThrow();
  expect((await relay.get('/readyz')).status).toBe(200);
  expect(relay.logged.map(({ event }) => event)).toContain('internal_error');
  await relay.close();
});
