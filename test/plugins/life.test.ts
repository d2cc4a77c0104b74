/** A plug-in's connections and work end, and nothing happens afterwards, however the plug-in behaves. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, retry } from '../../packages/base/src/client_error.ts';
import { outputExtension } from '../../packages/core/src/extensions.ts';
import { feature, type Plugin, type Route } from '../../packages/core/src/plugin.ts';
import { guard, type Submission } from '../../packages/core/src/submission.ts';
import type { Opened, PluginCall, PluginDelivery } from '../../packages/plugin-host/src/plugin_outputs.ts';
import { createMetrics } from '../../packages/telemetry/src/metrics/index.ts';
import { gate } from '../support/gate.ts';
import {
  type HttpSink,
  listen,
  startHttpSink,
  startRelay,
  suiteFolder,
  type TestRelay,
  untilEnd,
} from '../support/index.ts';
import { untilOver } from '../support/timers.ts';

let sink: HttpSink;
beforeAll(async () => {
  sink = await startHttpSink({
    answer: ({ url }) => (url === '/busy' ? { status: 503 } : { body: '{"id": 7}' }),
  });
});
afterAll(() => sink.close());

type Send = (delivery: PluginDelivery, call: PluginCall) => Promise<unknown>;

/** A plug-in as an author writes it; `send` is its output. */
const sending = (send: Send, more: Partial<Opened> = {}) =>
  ({
    name: 'crm',
    outputs: [{ type: 'crm', summary: '', keys: {}, open: () => ({ target: sink.origin, send, ...more }) }],
  }) as unknown as Plugin;

const timeoutMs = 300;
const config = (ms: number) =>
  `forms: {contact: {fields: [{name: name}], outputs: [{type: crm, timeout: ${ms}ms, mapping: "*"}]}}`;

/** Submits a form over real HTTP. Resolves when the plug-in has nothing left to do. */
async function submit(send: Send, ms = timeoutMs) {
  const metrics = createMetrics();
  let work: Promise<unknown> = Promise.resolve();
  let tries = 0;
  const counting: Send = (...given) => {
    tries += 1;
    const sent = send(...given);
    work = Promise.race([sent, sleep(timeoutMs + 1_000)]).catch(() => undefined);
    return sent;
  };
  const relay = await startRelay({ config: config(ms), metrics, plugins: [sending(counting)] });
  const before = sink.requests.length;
  const { status } = await relay.submit('contact', 'name=Ada');
  await work;
  await new Promise(setImmediate);
  const counted = metrics.text().match(/form_relay_deliveries_total\{.*outcome="late"\} (\d+)/)?.[1];
  await relay.close();
  metrics.close();
  const said = (event: string) => relay.logged.find((one) => one.event === event);
  return {
    status,
    tries,
    arrived: sink.requests.slice(before),
    reason: said('delivery_failed')?.reason,
    late: said('delivered_late') && counted,
    bug: (said('internal_error')?.stack as readonly string[] | undefined)?.[0],
  };
}

const ended = `not finished within ${timeoutMs} ms`;
const bug = 'a bug in the plug-in "crm": send of the output type "crm" threw';
const member = 'send of the output type "crm" of "crm" failed';

test.each([
  [
    'mapping: {c: colour}, static: {from: site}',
    [
      ['c', ['Blue']],
      ['from', ['site']],
    ],
  ],
  [
    'mapping: "*"',
    [
      ['Your colour', ['Blue']],
      ['Name', ['Ada']],
    ],
  ],
  [
    'on_error: fail',
    [
      ['Your colour', ['Blue']],
      ['Name', ['Ada']],
    ],
  ],
])('an output gets labels and readable texts (%s)', async (keys, expected) => {
  const fields =
    '{name: colour, label: Your colour, type: select, options: [{value: b, label: Blue}]}, {name: name}';
  const sent: unknown[] = [];
  const plugin = sending(async ({ labelled }) => {
    for (const { label, values } of labelled) sent.push([label, values]);
  });
  const text = `forms: {contact: {fields: [${fields}], outputs: [{type: crm, ${keys}}]}}`;
  const relay = await startRelay({ config: text, plugins: [plugin] });
  expect((await relay.submit('contact', 'colour=b&name=Ada')).status).toBe(200);
  await relay.close();
  expect(sent).toEqual(expected);
});

const sendsLate: Send = async (_, { http }) => {
  await sleep(timeoutMs + 100);
  await http.send({ url: sink.origin });
};
const heeds: Send = (_, { signal }) => sleep(5_000, undefined, { signal });
const sendsTo =
  (url: () => string): Send =>
  (_, { http }) =>
    http.send({ url: url() });
const throws = () => {
  throw new TypeError('Ada');
};

describe('an output that misbehaves affects only its own delivery', () => {
  test.each<[what: string, send: Send, expected: object]>([
    ['never ends', () => new Promise(() => undefined), { status: 500, reason: ended, tries: 1 }],
    ['ignores the signal', () => sleep(timeoutMs + 700), { status: 500, reason: ended, late: '1' }],
    ['sends after its time', sendsLate, { status: 500, reason: ended, arrived: [] }],
    ['heeds the signal', heeds, { status: 500, reason: ended, bug: undefined, late: undefined }],
    ['throws at once', throws, { status: 500, reason: bug, bug: member, tries: 1 }],
    ['rejects with an error', async () => throws(), { reason: bug, bug: member }],
    ['rejects with a text', () => Promise.reject('Ada'), { status: 500, reason: bug, bug: member }],
    ['returns no promise', (() => 7) as unknown as Send, { status: 200, reason: undefined }],
  ])('%s', async (_, send, expected) => expect(await submit(send)).toMatchObject(expected));
});

test.each<[what: string, send: Send, expected: object]>([
  ['retry', async () => Promise.reject(retry('busy')), { status: 500, reason: 'busy', tries: 2 }],
  ['retry later', async () => Promise.reject(retry('busy', { afterMs: 60_000 })), { tries: 1 }],
  ['fail', async () => Promise.reject(fail('no such list')), { reason: 'no such list', tries: 1 }],
  ['status', sendsTo(() => `${sink.origin}/busy`), { reason: 'the server answered 503', tries: 2 }],
  ['wrong url', sendsTo(() => 'ftp://x'), { reason: 'the request has no web address' }],
])('an output says what a retry would do: %s', async (_, send, expected) =>
  expect(await submit(send, 5_000)).toMatchObject({ bug: undefined, ...expected }),
);

test('a hook passes on no delivery after the attempt has timed out', async () => {
  const delaying = outputExtension({
    name: 'delaying',
    keys: {},
    configure: () => ({
      wrapTransport: (inner) => ({
        ...inner,
        send: async (delivery, call) => {
          await sleep(timeoutMs + 100);
          return inner.send(delivery, call);
        },
      }),
    }),
  });
  const plugin = {
    ...sending((_, { http }) => http.send({ url: sink.origin })),
    outputExtensions: [delaying],
  };
  const relay = await startRelay({ config: config(timeoutMs), plugins: [plugin] });
  const before = sink.requests.length;
  expect((await relay.submit('contact', 'name=Ada')).status).toBe(500);
  await relay.close();
  expect(sink.requests.length).toBe(before);
  expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'delivery_failed', reason: ended }));
});

/** Submits a form that leaves a second, and waits for the hook's final result. */
async function hooked(work: (submission: Submission) => Promise<unknown>, timeLeftMs = 1_300) {
  let working: Promise<unknown> | undefined;
  const hook = guard(async (submission) => {
    working = work(submission);
    await working;
    return undefined;
  });
  const configure = () => ({ beforeValidation: hook });
  const plugin = { ...sending(async () => undefined), features: [feature({ name: 'lookup', configure })] };
  const relay = await startRelay({ config: config(timeoutMs), plugins: [plugin] });
  const before = sink.requests.length;
  const { status } = await relay.handle('contact', 'name=Ada', { timeLeftMs });
  await working?.catch(() => undefined);
  await relay.close();
  return { status, arrived: sink.requests.slice(before) };
}

test('a hook and a route: send requests with the trace, and without a key', async () => {
  const { status, arrived } = await hooked(
    ({ http }) => http.send({ method: 'GET', url: sink.origin }),
    9_000,
  );
  expect([status, arrived.length]).toEqual([200, 1]);
  expect(arrived[0]?.headers).toMatchObject({ 'form-relay-hops': '1', traceparent: expect.any(String) });
  expect(arrived[0]?.headers['idempotency-key']).toBeUndefined();
});

test('a hook and a route: send nothing after the sender has been told of the failure', async () => {
  const { status, arrived } = await hooked(async ({ http, signal }) => {
    await sleep(2_000);
    expect(signal.aborted).toBe(true);
    await http.send({ url: sink.origin });
  });
  expect([status, arrived]).toEqual([500, []]);
});

test('a hook and a route: a route’s requests end within its own time', async () => {
  const answer: Route['answer'] = async ({ http, signal }) => {
    const { json } = await http.send({ url: sink.origin });
    return { status: signal.aborted ? 500 : 200, headers: {}, body: JSON.stringify(json) };
  };
  const lookup = feature({
    name: 'lookup',
    configure: () => ({}),
    routes: [{ name: 'lookup', method: 'GET', answer }],
  });
  const plugin = { ...sending(async () => undefined), features: [lookup] };
  const relay = await startRelay({ config: config(timeoutMs), plugins: [plugin] });
  expect(await relay.get('/api/v1/lookup/contact')).toMatchObject({ status: 200, text: '{"id":7}' });
  await relay.close();
});

test('a request ends with its attempt: the server sees the connection close', async () => {
  let closed: Promise<unknown> | undefined;
  const server = createServer((_, answer) => {
    closed = once(answer, 'close');
  });
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${await listen(server)}`;
  const { reason } = await submit((_, { http }) => http.send({ url }));
  expect(reason).toMatch(/(no complete response|not finished) within/);
  await closed;
});

test('each request of an attempt has its own key, the same in the next attempt, and the relay’s headers', async () => {
  const { status, arrived } = await submit(async ({ id }, { http }) => {
    await http.send({ method: 'GET', url: `${sink.origin}/lists` });
    const { json } = await http.send({ url: sink.origin, query: { id }, form: { name: ['Ada', 'Grace'] } });
    await http.send({ method: 'PUT', url: sink.origin, headers: { 'X-Name': 'Ada\r\nx-added: 1' }, json });
  });
  expect(status).toBe(200);
  const [read, first, second] = arrived;
  const id = new URLSearchParams(first?.url.split('?')[1]).get('id');
  expect(read?.headers['idempotency-key']).toBeUndefined();
  expect(first?.headers).toMatchObject({
    'idempotency-key': id,
    'content-type': 'application/x-www-form-urlencoded',
  });
  expect(first?.body).toBe('name=Ada&name=Grace');
  expect(second?.headers).toMatchObject({ 'idempotency-key': `${id}.2`, 'x-name': 'Ada x-added: 1' });
  expect(second?.body).toBe('{"id":7}');
  for (const { headers } of arrived)
    expect(headers).toMatchObject({ 'form-relay-hops': '1', traceparent: expect.any(String) });
});

describe('across config changes', () => {
  const folder = suiteFolder();
  const file = join(folder, 'webform.yaml');

  /** The calls of the plug-in, in order. The plug-in is a module, so a config may or may not name it. */
  const heard: string[] = [];
  const say = (what: string) => void heard.push(what);
  Reflect.set(globalThis, 'lifeTest', { say, held: undefined });
  writeFileSync(
    join(folder, 'crm.mjs'),
    `const at = globalThis.lifeTest;
    let configs = 0;
    export default (kit) => ({
      name: 'crm',
      outputs: [kit.output({
        type: 'crm', summary: '', keys: { nth: kit.key.withDefault('1', '', kit.key.text()) },
        open: ({ nth }) => ({
          target: 'crm ' + nth,
          send: async () => { at.say('send ' + nth); await at.held; },
          close: async () => { at.say('close output ' + nth); },
        }),
      })],
      features: [kit.feature({
        name: 'crm',
        configure: () => ({ close: () => at.say('close feature') }),
        routes: [{ name: 'crm', method: 'GET', answer: () => ({ status: 200, headers: {}, body: 'crm' }) }],
      })],
      start: ({ forms, signal, wait, platform }) => {
        const nth = (configs += 1);
        at.say('start ' + nth + ' ' + platform + ' ' + [...forms.keys()]);
        signal.addEventListener('abort', () => {
          at.say('end ' + nth + ' ' + signal.reason.why);
          wait(new Promise(setImmediate).then(() => at.say('waited for ' + nth)));
        });
      },
      observe: () => at.say('observe'),
    })`,
  );
  const naming = (nth: number) =>
    `plugins: [./crm.mjs]\nforms: {contact: {fields: [{name: name}], outputs: [{type: crm, nth: "${nth}", mapping: "*"}]}}`;
  const withoutIt = `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "URL", mapping: "*"}]}}`;

  /** Loads this text, and waits until it is current. */
  async function load(relay: TestRelay, text: string) {
    writeFileSync(file, text);
    const before = relay.relay.config.current;
    relay.relay.config.reload();
    await vi.waitFor(async () => {
      await relay.relay.config.get();
      expect(relay.relay.config.current).not.toBe(before);
    });
  }

  test('resources are closed after the last submission, and a plug-in that is no longer named is not called', async () => {
    writeFileSync(file, naming(1));
    const relay = await untilEnd(startRelay({ env: { CONFIG_FILE: file, CACHE_TTL: '1h' } }));
    let open = () => {};
    Reflect.get(globalThis, 'lifeTest').held = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = relay.submit('contact', 'name=Ada');
    await vi.waitFor(() => expect(heard).toContain('send 1'));
    expect(heard.splice(0)).toEqual(['start 1 node contact', 'send 1']);

    await load(relay, naming(2));
    const quick = relay.submit('contact', 'name=Grace');
    await vi.waitFor(() => expect(heard).toContain('send 2'));
    expect(heard.splice(0)).toEqual(['start 2 node contact', 'end 1 replaced', 'waited for 1', 'send 2']);
    open();
    expect([(await slow).status, (await quick).status]).toEqual([200, 200]);
    await vi.waitFor(() => expect(heard).toHaveLength(4));
    expect(heard.splice(0).toSorted()).toEqual(['close feature', 'close output 1', 'observe', 'observe']);

    await load(relay, withoutIt.replace('URL', sink.origin));
    await vi.waitFor(() => expect(heard).toHaveLength(4));
    expect(heard.splice(0).toSorted()).toEqual([
      'close feature',
      'close output 2',
      'end 2 removed',
      'waited for 2',
    ]);
    expect((await relay.submit('contact', 'name=Ada')).status).toBe(200);
    expect((await relay.get('/api/v1/crm/contact')).status).toBe(404);
    await relay.relay.close();
    expect(heard).toEqual([]);
  });

  test('when the process ends, everything is closed and awaited', async () => {
    writeFileSync(file, naming(3));
    const relay = await startRelay({ env: { CONFIG_FILE: file, CACHE_TTL: '1h' } });
    await relay.submit('contact', 'name=Ada');
    heard.length = 0;
    relay.relay.stopWork();
    expect(heard).toEqual(['end 3 stopping']);
    await relay.close();
    expect(heard.toSorted()).toEqual(['close feature', 'close output 3', 'end 3 stopping', 'waited for 3']);
  });

  test('a config that loads during shutdown starts nothing, and is closed', async () => {
    let started = 0;
    let closed = 0;
    const { opened, open } = gate();
    const plugin: Plugin = {
      ...sending(async () => undefined),
      features: [
        feature({
          name: 'lookup',
          configure: () => ({
            close: async () => {
              closed += 1;
              await opened;
            },
          }),
        }),
      ],
      start: ({ signal, wait, drained }) => {
        started += 1;
        signal.addEventListener('abort', () => wait(drained));
      },
    };
    writeFileSync(file, config(300));
    const relay = await startRelay({ env: { CONFIG_FILE: file, CACHE_TTL: '1h' }, plugins: [plugin] });
    await relay.submit('contact', 'name=Ada');
    const ended = relay.close();
    await vi.waitFor(() => expect(closed).toBe(1));
    await load(relay, config(400));
    open();
    await ended;
    expect({ started, closed }).toEqual({ started: 1, closed: 2 });
  });

  test('a config with a mistake leaves nothing open', async () => {
    writeFileSync(file, `${naming(4)}\nnonsense: 1`);
    heard.length = 0;
    const relay = await startRelay({ env: { CONFIG_FILE: file } });
    expect((await relay.get('/readyz')).status).toBe(503);
    await relay.close();
    const opened = heard.filter((one) => one.startsWith('close'));
    expect(opened.length).toBeGreaterThan(0);
    expect(heard).toEqual(opened);
  });
});

describe('a misbehaving shutdown', () => {
  const never = () => new Promise<void>(() => undefined);
  const failing = async () => Promise.reject(new Error('Ada'));
  const configure = (close: () => Promise<void>) => () => ({ close });
  const withFeature = (close: () => Promise<void>): Partial<Plugin> => ({
    features: [feature({ name: 'crm', configure: configure(close) })],
  });
  test.each<[what: string, plugin: Partial<Plugin>, says: string]>([
    ['close of an output never ends', sending(failing, { close: never }), 'close of the output type "crm"'],
    ['close of an output throws', sending(failing, { close: failing }), 'close of the output type "crm"'],
    ['close of a feature never ends', withFeature(never), 'close of the feature "crm"'],
    ['close of a feature throws', withFeature(failing), 'close of the feature "crm"'],
    ['start throws', { start: () => void JSON.parse('Ada') }, 'start of "crm" failed'],
    ['start rejects', { start: failing as unknown as () => void }, 'start of "crm" failed'],
    [
      'what start waits for never ends',
      { start: ({ wait }) => wait(never()) },
      'start of "crm" did not finish',
    ],
    ['what start waits for fails', { start: ({ wait }) => wait(failing()) }, 'start of "crm" failed'],
  ])('%s', async (_, plugin, says) => {
    const relay = await startRelay({
      config: config(timeoutMs),
      plugins: [{ ...sending(async () => undefined), ...plugin }],
    });
    expect((await relay.submit('contact', 'name=Ada')).status).toBeLessThanOrEqual(500);
    await untilOver(() => relay.relay.close());
    await relay.close();
    expect(JSON.stringify(relay.logged)).toContain(JSON.stringify(says).slice(1, -1));
    expect(JSON.stringify(relay.logged)).not.toContain('Ada');
  });
});
