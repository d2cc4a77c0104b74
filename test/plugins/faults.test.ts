/** A misbehaving plug-in affects only its own work: no submission is lost, duplicated or misreported. */

import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClientError } from '../../packages/base/src/client_error.ts';
import { html } from '../../packages/base/src/html.ts';
import { serve } from '../../packages/cli/test/served.ts';
import { outputExtension } from '../../packages/core/src/extensions.ts';
import type { FieldType } from '../../packages/core/src/fields/field.ts';
import type { RelayResponse } from '../../packages/core/src/http/request.ts';
import { ownPlugin } from '../../packages/core/src/internal.ts';
import type { OutputType } from '../../packages/core/src/outputs/output.ts';
import { invalid } from '../../packages/core/src/pipeline/validate.ts';
import type { Feature, Hooks, Plugin } from '../../packages/core/src/plugin.ts';
import { feature } from '../../packages/core/src/plugin.ts';
import type { Services } from '../../packages/core/src/services.ts';
import { guard, type Middleware, refused } from '../../packages/core/src/submission.ts';
import { createRelay } from '../../packages/runtimes/src/index.ts';
import { boolean, optional } from '../../packages/schema/src/kinds.ts';
import { openLeases } from '../../packages/stores/src/open_store.ts';
import {
  expectLogged,
  type HttpSink,
  relayWith,
  startHttpSink,
  startRelay,
  tempFolder,
} from '../support/index.ts';
import { untilOver } from '../support/timers.ts';

let sink: HttpSink;
beforeAll(async () => {
  sink = await startHttpSink();
});
afterAll(() => sink.close());

const config = () =>
  `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${sink.origin}", mapping: "*"}]}}`;

const pluginWith = (hooks: Hooks, more: Partial<Plugin> = {}): Plugin => ({
  name: 'faulty',
  features: [feature({ name: 'faulty', configure: () => hooks })],
  ...more,
});

/** The sender's answer, the number of deliveries, and the log about them. */
async function submitTo(plugin: Plugin, text = config(), headers = {}) {
  const relay = await startRelay({ config: text, plugins: [plugin] });
  const before = sink.requests.length;
  const answer = await relay.submit('contact', 'name=Ada+Lovelace', headers);
  await relay.close();
  expect(JSON.stringify(relay.logged)).not.toContain('Lovelace');
  expect(answer.text).not.toContain('node:');
  return {
    status: answer.status,
    delivered: sink.requests.length - before,
    errors: relay.logged.filter(({ event }) => event === 'internal_error').length,
  };
}

const keeping = (keep: string) =>
  `keep: {in: ${tempFolder()}}\n${config().replace('contact: {', `contact: {keep: ${keep}, `)}`;

/** Clients that name no format get JSON, whatever renderers there are. */
const ofPages = { accept: 'text/html' };

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

  test.each(['always', 'failed'])('nor if the form queues failed deliveries (%s)', async (keep) => {
    for (const hook of [later, meanwhile]) {
      const away = keeping(keep).replace(sink.origin, 'http://127.0.0.1:1');
      const ended = await submitTo(pluginWith({ afterValidation: hook }), away);
      expect(ended).toEqual({ status: 200, delivered: 0, errors: 1 });
    }
  });
});

describe('a plug-in that writes to a form, which is frozen', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the types forbid it, too
  const writes: readonly (readonly [what: string, write: (form: any) => unknown])[] = [
    ['the form', (form) => Object.assign(form, { title: 'x' })],
    ['its list of fields', (form) => form.fields.push({})],
    ['a field', (form) => Object.assign(form.fields[0], { label: 'x' })],
    ['its options', (form) => form.fields[0].options.pop()],
    ['an option', (form) => Object.assign(form.fields[0].options[0], { value: 'x' })],
    ['a note', (form) => Object.assign(form.notes[0], { text: 'x' })],
    ['its list of outputs', (form) => form.outputs.shift()],
    ['an output', (form) => Object.assign(form.outputs[0], { mapping: '*' })],
    ['what an output knows of it', (form) => Object.assign(form.outputs[0].form, { id: 'x' })],
  ];
  const text = () =>
    config().replace('{name: name}', '{name: name, type: select, options: [Ada Lovelace]}, {note: Hi}');
  const stacks = async (plugin: Plugin) => {
    const relay = await startRelay({ config: text(), plugins: [plugin] });
    const { status } = await relay.submit('contact', 'name=Ada+Lovelace');
    await relay.get('/api/v1/form/contact');
    await relay.close();
    return { status, says: relay.logged.map(({ stack }) => String(stack)).join() };
  };
  const changes = (hook: string) => `${hook} of the feature "faulty" of "faulty" failed: a TypeError`;

  test.each(writes)('fails: %s', async (_, write) => {
    const writes: Middleware =
      () =>
      async ({ form }) =>
        write(form) as never;
    const ended = await stacks(pluginWith({ afterValidation: writes }));
    expect(ended).toEqual({ status: 500, says: expect.stringContaining(changes('afterValidation')) });
  });

  test.each<[string, Hooks]>([
    ['markup', { markup: ({ fields }) => Object.assign(fields[0] ?? {}, { label: 'x' }) as never }],
    ['view', { view: ({ fields }) => Object.assign(fields[0] ?? {}, { label: 'x' }) as never }],
  ])('%s is named', async (hook, hooks) =>
    expect((await stacks(pluginWith(hooks))).says).toContain(changes(hook)),
  );
});

test('a value that cannot be sent is not an outcome, and changes nothing after the delivery', async () => {
  const wrong = [
    { headers: { 'x-a': 'a\r\nb' } },
    { headers: { 'x-a': 'Ж' } },
    { message: 'Thanks' },
    { json: { id: 1n } },
    { answer: { status: 200, headers: {}, body: 5 } },
  ];
  for (const part of wrong) {
    const hook: Middleware = (next) => async (submission) =>
      ({ ...(await next(submission)), ...part }) as never;
    const ended = await submitTo(pluginWith({ afterValidation: hook }));
    expect(ended, JSON.stringify(Object.keys(part))).toEqual({ status: 200, delivered: 1, errors: 1 });
  }
});

test('an output cannot change what others send, and its return value does not reach the log', async () => {
  const eraser: OutputType = {
    type: 'eraser',
    summary: '',
    keys: {},
    open: () => ({
      target: 'nowhere',
      send: async (delivery) => {
        (delivery.values as Map<string, unknown>).clear();
        for (const [, values] of delivery.payload) (values as string[]).length = 0;
        return delivery as never;
      },
    }),
  };
  const both = config().replace('outputs: [', 'outputs: [{type: eraser, mapping: "*"}, ');
  expect(await submitTo({ name: 'eraser', outputs: [eraser] }, both)).toMatchObject({ status: 200 });
  expect(sink.requests.at(-1)?.body).toBe('name=Ada+Lovelace');
});

test('a stack trace in the log contains no line of a message', async () => {
  const quotes: Middleware =
    () =>
    async ({ values }) =>
      Promise.reject(new Error(`bad ${values.get('name')}`));
  const relay = await startRelay({ config: config(), plugins: [pluginWith({ afterValidation: quotes })] });
  await relay.submit('contact', new URLSearchParams({ name: 'Ada\n    at SECRET' }).toString());
  await relay.close();
  expect(JSON.stringify(relay.logged)).not.toContain('SECRET');
});

test('lines that a plug-in logs during an event do not trigger events for plug-ins', async () => {
  let services: Services | undefined;
  let heard = 0;
  const start: Plugin['start'] = (life) => {
    services = life.services;
  };
  const onLog: Services['log'] = (...event) => {
    heard += 1;
    services?.log(...event);
  };
  const plugins = [ownPlugin({ name: 'echo', start, onLog })];
  const relay = await relayWith({ config: config(), plugins });
  await relay.submit('contact', 'name=Ada');
  const before = heard;
  await relay.submit('contact', 'name=Ada');
  expect(heard - before).toBe(1);
});

describe('hooks that throw while a submission is answered or offered', () => {
  const delivered = { status: 200, delivered: 1, errors: 1 };

  test('completeOutcome changes nothing', async () =>
    expect(await submitTo(ownPlugin(pluginWith({ completeOutcome: failure })))).toEqual(delivered));

  test('a renderer that throws leaves the answer to the relay', async () => {
    const renderer = { name: 'faulty', matches: () => true, outcome: failure, form: failure };
    for (const hooks of [{ matches: failure }, { outcome: async () => failure() }, {}])
      expect(
        await submitTo(
          ownPlugin(pluginWith({}, { renderers: [{ ...renderer, ...hooks }] })),
          config(),
          ofPages,
        ),
      ).toEqual(delivered);
  });

  test('skipsThrottle skips nothing if it throws', async () => {
    const relay = await relayWith({
      config: config(),
      plugins: [ownPlugin(pluginWith({ skipsThrottle: failure }))],
    });
    // The hook runs once there is a config.
    await relay.get('/api/v1/form/contact');
    expect((await relay.submit('contact', 'name=Ada')).status).toBe(200);
    expect(relay.logged.map(({ event }) => event)).toContain('internal_error');
  });

  test('a throwing accepts of an output fails only this output', async () => {
    const faulty: Plugin = {
      name: 'faulty',
      outputExtensions: [
        outputExtension({
          name: 'faulty',
          keys: { faulty: optional('', boolean()) },
          configure: ({ output: { faulty } }) => (faulty ? { accepts: failure } : undefined),
        }),
      ],
    };
    const both = config().replace(
      'outputs: [',
      `outputs: [{type: http_post, url: "${sink.origin}", faulty: true}, `,
    );
    const { status, delivered } = await submitTo(faulty, both);
    expect({ status, delivered }).toEqual({ status: 500, delivered: 1 });
  });
});

test('a form that cannot be shown again leaves the answer to the relay', async () => {
  const view = () => Promise.reject(new Error('a bug'));
  const invalid = config().replace('{name: name}', '{name: name, type: email}');
  const relay = await startRelay({ config: invalid, plugins: [pluginWith({ view })] });
  const answer = await relay.submit('contact', 'name=Ada', { 'hx-request': 'true' });
  await relay.close();
  expect(answer.status).toBe(422);
  expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'submission', outcome: 'invalid' }));
});

test('class instances keep their methods, and objects provided by features are unchanged', async () => {
  class Sending {
    readonly target = 'nowhere';
    readonly warning = 'sent by a class';
    async send() {
      return this.warning;
    }
  }
  const plugin: Plugin = {
    name: 'of-classes',
    outputs: [{ type: 'checked', summary: '', keys: {}, open: () => new Sending() }],
    features: [
      feature({ name: 'provider', configure: () => ({ provides: async () => 'later' }) }),
      feature({
        name: 'reader',
        after: ['provider'],
        configure: ({ provided }) => {
          const provider = (provided as ReadonlyMap<string, unknown>).get(
            'provider',
          ) as () => Promise<string>;
          return {
            afterValidation: (next) => async (submission) => {
              const outcome = await next(submission);
              return { ...outcome, headers: { 'x-provided': await provider() } };
            },
          };
        },
      }),
    ],
  };
  const text = 'forms: {contact: {fields: [{name: name}], outputs: [{type: checked}]}}';
  const relay = await startRelay({ config: text, plugins: [plugin] });
  const answer = await relay.submit('contact', 'name=Ada');
  await relay.close();
  expect(answer.headers.get('x-provided')).toBe('later');
  expectLogged(relay, { event: 'delivery_warning', reason: 'sent by a class' });
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
  for (const hook of [inTurn, atOnce]) {
    const once = { status: 200, delivered: 1, errors: 0 };
    for (const phase of ['afterValidation', 'aroundDelivery'] as const)
      expect(await submitTo(pluginWith({ [phase]: hook }))).toEqual(once);
    expect(await submitTo(pluginWith({ afterValidation: hook }), keeping('always'))).toEqual(once);
  }
});

test('errors outside submissions are logged', async () => {
  const plugin = pluginWith({}, { observe: failure, start: failure });
  const { status, delivered } = await submitTo(plugin);
  expect({ status, delivered }).toEqual({ status: 200, delivered: 1 });
});

test('an outcome without a status is a bug in the plug-in, and not an answer', async () => {
  for (const outcome of [{ kind: 'odd', message: { code: 'nobody_knows' } }, undefined] as never[])
    expect(await submitTo(pluginWith({ beforeValidation: () => () => outcome }))).toMatchObject({
      status: 500,
      delivered: 0,
    });
});

test('a value that is not an answer leaves the answer to the relay', async () => {
  const rendererOf = (answer: unknown) => ({
    name: 'mute',
    matches: () => true,
    outcome: () => answer as RelayResponse,
    form: () => answer as RelayResponse,
  });
  for (const answer of [undefined, {}, { status: 0, headers: {}, body: '' }, { status: 200, body: '' }]) {
    const relay = await relayWith({
      config: config(),
      plugins: [ownPlugin({ name: 'mute', renderers: [rendererOf(answer)] })],
    });
    const { status, json } = await relay.submit('contact', 'name=Ada', ofPages);
    expect([status, json]).toEqual([200, { message: 'ok' }]);
  }
});

describe('the first line of a stack trace names the plug-in, and the member that threw', () => {
  const innocent: Plugin = {
    name: 'innocent',
    features: [feature({ name: 'innocent', configure: () => ({ onRequest: (next) => (one) => next(one) }) })],
  };
  const field = (members: object): Partial<Plugin> => ({
    fields: [{ type: 'faulty', summary: '', keys: {}, control: () => html``, ...members } as FieldType],
  });
  const form = '/api/v1/form/contact';
  const route = { name: 'faulty', method: 'GET', answer: failure } as const;
  const routed = feature({ name: 'faulty', configure: () => undefined, routes: [route] });
  const ofFeature = 'the feature "faulty" of "faulty"';
  test.each<[says: string, path: string, plugin: Partial<Plugin>]>([
    ['checkValue of the field type "faulty" of "faulty"', 'submit', field({ checkValue: failure })],
    ['store of the field type "faulty" of "faulty"', 'submit', field({ store: failure })],
    ['control of the field type "faulty" of "faulty"', form, field({ control: failure })],
    ['control of the field type "faulty" of "faulty"', form, field({ control: () => '<b>' })],
    [`view of ${ofFeature}`, form, pluginWith({ view: failure })],
    [`view of ${ofFeature}`, form, pluginWith({ view: () => undefined as never })],
    [`markup of ${ofFeature}`, form, pluginWith({ markup: failure })],
    [`markup of ${ofFeature} did not return an object`, form, pluginWith({ markup: () => null as never })],
    [`beforeValidation of ${ofFeature}`, 'submit', pluginWith({ beforeValidation: throwsNow })],
    ['observe of "faulty"', 'submit', { observe: failure }],
    ['readiness of "faulty"', '/readyz', { readiness: failure }],
    ['answer of the route "faulty" of "faulty"', '/api/v1/faulty/contact', { features: [routed] }],
  ])('%s (%s)', async (says, path, plugin) => {
    const { fields } = plugin;
    const relay = await startRelay({
      config: fields ? config().replace('name: name', 'name: name, type: faulty') : config(),
      plugins: [{ name: 'faulty', ...plugin }, innocent],
    });
    const answer = await (path === 'submit' ? relay.submit('contact', 'name=Ada') : relay.get(path));
    const error = 'the plug-in "faulty" cannot report whether it is ready; see the log';
    if (path === '/readyz') expect([answer.status, answer.json]).toEqual([503, { error }]);
    await relay.close();
    const line = relay.logged.find(({ stack }) => stack !== undefined);
    expect(String(line?.stack).slice(0, says.length)).toBe(says);
    expect(line?.feature).toBeUndefined();
  });
});

const split = { 'x-evil': 'a\r\nset-cookie: b' };
test.each<[what: string, answer: unknown, says: string]>([
  ['a header that cannot be sent', { status: 200, headers: split, body: '' }, 'x-evil'],
  ['no headers', { status: 200, body: '' }, 'headers'],
  ['no status', { headers: {}, body: '' }, 'status'],
  ['no body', { status: 200, headers: {} }, 'body'],
  ['nothing', undefined, 'no answer'],
])('a route that returns %s gives a 500 that names the route', async (_, answer, says) => {
  const evil: Plugin = {
    name: 'evil',
    features: [
      feature({
        name: 'evil',
        configure: () => ({}),
        routes: [{ name: 'evil', method: 'GET', answer: () => answer as RelayResponse }],
      }),
    ],
  };
  const relay = await relayWith({ config: config(), plugins: [evil] });
  await relay.get('/readyz');
  expect((await relay.get('/api/v1/evil/contact')).status).toBe(500);
  const stack = String(relay.logged.findLast(({ event }) => event === 'internal_error')?.stack);
  expect(stack).toContain('answer of the route "evil" of "evil" returned');
  expect(stack).toContain(says);
  expect((await relay.get('/readyz')).status).toBe(200);
});

test.each<[what: string, plugin: Partial<Plugin>, says: string]>([
  [
    'a hook',
    pluginWith({ beforeValidation: guard(() => refused(422, 'ada_is_too_many')) }),
    'beforeValidation of the feature "faulty" of "faulty"',
  ],
  [
    'a hook, at a field',
    pluginWith({ afterValidation: guard(() => invalid([{ field: 'name', code: 'ada_is_too_many' }])) }),
    'afterValidation of the feature "faulty" of "faulty"',
  ],
  [
    'a field',
    {
      fields: [
        {
          type: 'faulty',
          summary: '',
          keys: {},
          control: () => html``,
          checkValue: () => ({ code: 'ada_is_too_many' }),
        } as FieldType,
      ],
    },
    'checkValue of the field type "faulty" of "faulty", asked about the field "name",',
  ],
])('a code without a message from %s reaches no visitor, and is reported once', async (_, plugin, says) => {
  const relay = await startRelay({
    config: plugin.fields ? config().replace('name: name', 'name: name, type: faulty') : config(),
    plugins: [{ name: 'faulty', ...plugin }],
  });
  for (const headers of [{}, { 'hx-request': 'true' }] as Record<string, string>[]) {
    const { status, text } = await relay.submit('contact', 'name=Ada', headers);
    expect(status).toBe(422);
    expect(text).toContain('Please check your entries and send the form once more.');
    expect(text).not.toContain('ada_is');
  }
  await relay.close();
  const told = relay.logged.filter(({ event }) => event === 'internal_error').map(({ stack }) => stack);
  expect(told).toEqual([
    [`${says} returned a code that has no text; add the text to \`messages\` of the plug-in`],
  ]);
});

describe('seams of the relay’s own plug-ins', () => {
  const config =
    'forms: {contact: {fields: [{name: a}], outputs: [{type: http_post, url: "https://a.example"}]}}';
  const extension = { name: 'greedy', keys: {} };
  test.each<[member: string, plugin: Partial<Plugin>]>([
    ['renderers', { renderers: [] }],
    ['onLog', { onLog: () => {} }],
    ['selectLocale', { features: [{ ...extension, configure: () => ({ selectLocale: failure }) }] }],
    ['members', { fieldExtensions: [{ ...extension, configure: () => ({ members: {} }) }] }],
    ['publicRoutes', { publicRoutes: [] }],
    ['inputs', { fields: [{ type: 'greedy', inputs: failure } as never] }],
    ['browsersOnly', { features: [{ name: 'greedy', configure: () => ({ browsersOnly: true }) }] }],
    ['heldBack', { outputExtensions: [{ ...extension, configure: () => ({ heldBack: 'only' }) }] }],
  ])('%s is refused', async (member, plugin) => {
    const logged: unknown[] = [];
    const says = `has a member "${member}", which only the relay's own plug-ins can use`;
    const log = (_: string, __: string, fields: object = {}) => void logged.push(fields);
    try {
      const relay = createRelay({ config, plugins: [{ name: 'greedy', ...plugin }], services: { log } });
      expect(await relay.config.get()).toBeUndefined();
      await relay.close();
      expect(JSON.stringify(logged)).toContain(JSON.stringify(says).slice(1, -1));
    } catch (error) {
      expect(String(error)).toContain(says);
    }
  });
});

test('a store that returns immediately, although it is empty, does not block others', async () => {
  const nothing = async () => [];
  const empty = { keep: nothing, lease: nothing, count: nothing, list: nothing, leaseMatching: nothing };
  const type = {
    schemes: ['empty'],
    open: () => ({ leases: empty, probe: nothing, close: async () => {} }) as never,
  };
  const context = { now: Date.now, env: () => undefined, binding: () => undefined, aws: failure };
  const { leases } = await openLeases({ name: 'empty://', type }, context);
  let hasRun = false;
  setTimeout(() => {
    hasRun = true;
  }, 0);
  await leases.lease(10, 1_000);
  expect(hasRun).toBe(true);
});

describe('hooks that never end', () => {
  const never = () => new Promise<never>(() => {});
  const beforeDelivery: Middleware = () => never;
  const afterDelivery: Middleware = (next) => async (submission) => {
    await next(submission);
    return never();
  };
  /** Submits with little time left, as in a function close to its timeout. */
  async function submitInHaste(plugin: Plugin, config: string) {
    const relay = await startRelay({ config, plugins: [plugin] });
    const before = sink.requests.length;
    const answer = await relay.handle('contact', 'name=Ada', { timeLeftMs: 1_200 });
    await relay.close();
    const reasons = relay.logged.flatMap(({ stack, reason }) => stack ?? reason ?? []).join('\n');
    return { status: answer.status, delivered: sink.requests.length - before, reasons };
  }

  test.each(['onRequest', 'beforeValidation', 'afterValidation', 'aroundDelivery'] as const)(
    '%s is a 500 while there is time to answer',
    async (phase) => {
      const ended = await submitInHaste(pluginWith({ [phase]: beforeDelivery }), config());
      expect(ended).toMatchObject({ status: 500, delivered: 0 });
      expect(ended.reasons).toContain('did not finish within');
    },
  );

  test('after the delivery, a hook changes nothing', async () => {
    const ended = await submitInHaste(pluginWith({ afterValidation: afterDelivery }), config());
    expect(ended).toMatchObject({ status: 200, delivered: 1 });
  });

  test('an output fails, and the others do not', async () => {
    const hung: OutputType = {
      type: 'hung',
      summary: '',
      keys: {},
      open: () => ({ target: 'nowhere', send: never }),
    };
    const both = config().replace('outputs: [', 'outputs: [{type: hung, on_error: continue, mapping: "*"}, ');
    const ended = await submitInHaste({ name: 'hung', outputs: [hung] }, both);
    expect(ended).toMatchObject({ status: 200, delivered: 1 });
    expect(ended.reasons).toMatch(/not finished within \d+ ms/);
  });

  test('a form, a route and a config time out', async () => {
    const route = { name: 'stuck', method: 'GET', answer: never } as const;
    const stuck = feature({ name: 'stuck', configure: () => ({ view: never }), routes: [route] });
    const logged: unknown[] = [];
    const relayOf = (...features: readonly Feature[]) =>
      createRelay({
        config: config(),
        plugins: [{ name: 'stuck', features }],
        services: { log: (...line) => void logged.push(line) },
      });
    const served = relayOf(stuck);
    await served.config.get();
    for (const path of ['/api/v1/form/contact', '/api/v1/stuck/contact']) {
      const request = { method: 'GET', path, query: '', headers: {}, body: undefined };
      expect((await untilOver(() => served.handle(request))).status).toBe(500);
    }
    const top = feature({ name: 'top', configureTop: never, configure: () => undefined });
    const stopped = relayOf(top);
    expect(await untilOver(() => stopped.config.get())).toBeUndefined();
    expect(JSON.stringify(logged)).toContain(
      'configureTop of the feature \\"top\\" of \\"stuck\\" did not finish within 10 s',
    );
  });
});

describe('an error while a config loads is reported as a mistake, with its position', () => {
  const configuring = (hooks: Partial<Feature>) => ({
    features: [feature({ name: 'faulty', configure: () => undefined, ...hooks })],
  });
  const failing: OutputType = { type: 'faulty', summary: '', keys: {}, open: failure };
  const cases: readonly [string, Partial<Plugin>, string][] = [
    ['configure', configuring({ configure: failure }), ':1:9: forms.contact: the feature "faulty"'],
    ['configureTop', configuring({ configureTop: async () => failure() }), ':1:1: the feature "faulty"'],
    ['validate', { validate: failure }, ':1:1: the plug-in "faulty"'],
    ['open', { outputs: [failing] }, ':1:50: forms.contact.outputs[0]: the output type "faulty"'],
  ];
  const isLike = 'of the feature \\"faulty\\" of \\"faulty\\" must be a function like';
  const returning = (hooks: unknown) => configuring({ configure: () => hooks as Hooks });
  const wrong: readonly [string, Partial<Plugin>, string][] = [
    ['an async configure', configuring({ configure: (async () => ({})) as never }), 'must be synchronous'],
    ['a misspelled hook', returning({ afterValidaton: () => {} }), 'did you mean afterValidation?'],
    ['a hook without next', returning({ afterValidation: async () => {} }), `afterValidation ${isLike}`],
    ['a hook that rejects', returning({ onRequest: async () => failure() }), `onRequest ${isLike}`],
    ['a hook that is not a function', returning({ beforeValidation: 42 }), `beforeValidation ${isLike}`],
    ['hooks that are no object', returning(42), 'is not an object'],
    [
      'names that are no list',
      returning({ reserves: () => [] }),
      'reserves of the feature \\"faulty\\" of \\"faulty\\" is not a list',
    ],
    [
      'bodies that are no list',
      returning({ bodies: {} }),
      'bodies of the feature \\"faulty\\" of \\"faulty\\" is not a list',
    ],
    [
      'an output without a target',
      { outputs: [{ type: 'faulty', summary: '', keys: {}, open: () => ({ send: async () => undefined }) }] },
      'the result of open of the output type \\"faulty\\" of \\"faulty\\" has no target, which is an address or words for people',
    ],
  ];
  test.each(wrong)('%s', async (_, more, expected) => {
    const text = more.outputs ? config().replace(/type: http_post, url: "[^"]*"/, 'type: faulty') : config();
    const relay = await relayWith({ config: text, plugins: [{ name: 'faulty', ...more }] });
    await relay.get('/readyz');
    expect(relay.logged[0]).toMatchObject({ event: 'config_invalid' });
    expect(JSON.stringify(relay.logged[0]?.problems)).toContain(expected);
  });

  test.each(cases)('%s', async (name, more, expected) => {
    const config =
      'forms: {contact: {fields: [{name: a}], outputs: [{type: http_post, url: "https://a.example"}]}}';
    const relay = await relayWith({
      config: name === 'open' ? config.replace('http_post, url: "https://a.example"', 'faulty') : config,
      plugins: [{ name: 'faulty', ...more }],
    });
    await relay.get('/readyz');
    expect(relay.logged[0]?.problems).toEqual([expect.stringContaining(`${expected} failed: a bug`)]);
  });
});

test('a type disappears while deliveries are queued for it: they wait for their owner', async () => {
  const folder = tempFolder();
  const failing: OutputType = {
    type: 'gone',
    summary: '',
    keys: {},
    open: () => ({
      target: 'nowhere',
      send: () => Promise.reject(new ClientError('it is down', { retryAfterMs: 0 })),
    }),
  };
  const kept = `keep: {in: "${folder}"}\nforms: {contact: {keep: failed, fields: [{name: name}], outputs: [{type: gone, mapping: "*"}]}}`;
  const before = await startRelay({ config: kept, plugins: [{ name: 'gone', outputs: [failing] }] });
  expect((await before.submit('contact', 'name=Ada')).status).toBe(200);
  await before.close();
  const after = await startRelay({ config: kept });
  await after.get('/readyz');
  after.advance(3_600_000);
  await expect
    .poll(() => after.logged.map(({ event }) => event), { timeout: 30_000 })
    .toContain('kept_delivery');
  await after.close();
  const [file] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.includes('aside/'),
  );
  expect(file).toBeDefined();
});

describe('a field that answers late, or with a value that is not text', () => {
  const fieldWith = (members: object): Plugin => ({
    name: 'slow',
    fields: [{ type: 'slow', summary: '', keys: {}, control: () => html``, ...members } as FieldType],
  });
  const failLater = async () => failure();
  test.each([
    ['checkValue', failLater],
    ['normalizeValue', failLater],
    ['store', failLater],
    ['store', async (_: unknown, value: string) => value],
    ['store', () => 42],
    ['checkValue', () => true],
    ['check', () => ['wrong']],
    ['normalizeValue', () => undefined],
  ])('%s is a 500 that names the field, and nothing is delivered', async (name, member) => {
    const relay = await relayWith({
      config: config().replace('name: name', 'name: name, type: slow'),
      plugins: [fieldWith({ [name]: member })],
    });
    const before = sink.requests.length;
    expect((await relay.submit('contact', 'name=Lovelace')).status).toBe(500);
    expect(sink.requests.length).toBe(before);
    expect(JSON.stringify(relay.logged)).not.toContain('Lovelace');
    const error = relay.logged.find(({ event }) => event === 'internal_error');
    expect(String(error?.stack)).toMatch(
      RegExp(`^${name} of the field type "slow" of "slow", asked about the field "name",`),
    );
  });

  test.each(['checkValue', 'check'])('%s may return a text: the error at the field', async (name) => {
    const relay = await relayWith({
      config: config().replace('name: name', 'name: name, type: slow'),
      plugins: [fieldWith({ [name]: () => 'No {good}.' })],
    });
    const answer = await relay.submit('contact', 'name=Lovelace');
    expect([answer.status, answer.json]).toMatchObject([422, { error: 'name: No {good}.' }]);
  });
});

test('a forgotten promise of a plug-in does not end `relay serve`', async () => {
  const folder = tempFolder();
  writeFileSync(
    join(folder, 'forgot.mjs'),
    `export default (kit) => ({ name: 'forgot', features: [kit.feature({ name: 'forgot', configure: () => ({
      afterValidation: (next) => (submission) => { void Promise.reject(new Error('a bug')); setTimeout(() => { throw new Error('late'); }); return next(submission); },
    }) })] });`,
  );
  writeFileSync(join(folder, 'webform.yaml'), `plugins: [./forgot.mjs]\n${config()}`);
  const { child, origin } = await serve({ cwd: folder });
  const submit = () =>
    fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) });
  for (let times = 0; times < 3; times += 1) expect((await submit()).status).toBe(200);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
});
