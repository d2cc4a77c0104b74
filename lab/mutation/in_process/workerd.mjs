/**
 * Stands in for test/support/workerd.ts: the Worker is in the process of the tests, where mutants are. It has the platform's
 * bindings as far as the tests use them. Durable Objects handle a call at a time.
 */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { Counts } from '../../../packages/relay/src/runtimes/cloudflare/counts.ts';
import { createWorker } from '../../../packages/relay/src/runtimes/cloudflare/create_worker.ts';

export { builtModules } from '../../../test/support/workerd.ts';

const platformFetch = globalThis.fetch;
const consoleLog = console.log;

export function startWorkerd(code, options = {}) {
  const said = [];
  const context = { waitUntil: (work) => void work.catch(() => {}) };
  const { handlers, env } = platform(code, context, options);
  console.log = (...words) => void said.push(...words.join(' ').split('\n').filter(Boolean));
  globalThis.FixedLengthStream = function FixedLengthStream() {
    return new TransformStream();
  };
  globalThis.fetch = async (input, init = {}) => {
    const isOutbound = options.outboundService && new URL(input).hostname.endsWith('.amazonaws.com');
    if (isOutbound) {
      const answer = await options.outboundService({ url: String(input) });
      return new Response(await answer.text(), { status: answer.status });
    }
    // Only the relay gives a list.
    if (!Array.isArray(init.headers)) return platformFetch(input, init);
    // Workers write headers as UTF-8, and announce the length of such a stream.
    const headers = init.headers.map(([name, value]) => [name, Buffer.from(value).toString('latin1')]);
    const body = init.body instanceof ReadableStream ? await new Response(init.body).bytes() : init.body;
    return platformFetch(input, { ...init, headers, ...(body && { body }) });
  };
  const dispatchFetch = async (url, init) => handlers.fetch(new Request(url, init), env, context);
  const server = createServer(async (incoming, outgoing) => {
    const request = new Request(`http://relay.test${incoming.url}`, {
      method: incoming.method,
      headers: incoming.headers,
      body: Readable.toWeb(incoming),
      duplex: 'half',
    });
    const answer = await handlers.fetch(request, env, context);
    outgoing.writeHead(answer.status).end(await answer.text());
  });
  const ready = new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(new URL(`http://127.0.0.1:${server.address().port}`)));
  });
  return {
    said,
    ready,
    dispatchFetch,
    getKVNamespace: async (name) => env[name],
    dispose: async () => {
      console.log = consoleLog;
      globalThis.fetch = platformFetch;
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The handlers of the Worker's code, and its bindings. */
function platform(code, context, options) {
  const {
    bindings = {},
    kvNamespaces = [],
    durableObjects = {},
    queueProducers = {},
    queueConsumers = {},
  } = options;
  const entriesOf = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]));
  const body = code.replace(/import \{.*?\} from '.\/index.mjs';/, '').replace(/export \{.*?\};/, '');
  const handlers = new Function('createWorker', 'Counts', body.replace('export default', 'return'))(
    createWorker,
    Counts,
  );
  let ids = 0;
  const send = (queue, body) => {
    ids += 1;
    // A mutant may retry for ever.
    const retry = () => void (ids < 1_000 && send(queue, body));
    const message = { id: `${ids}`, body, ack: () => {}, retry };
    setTimeout(() => void handlers.queue({ queue, messages: [message] }, env, context).catch(() => {}));
  };
  const sending = (queue) => ({ send: async (body) => void (queue in queueConsumers && send(queue, body)) });
  const env = {
    ...bindings,
    ...entriesOf(kvNamespaces, namespace),
    ...entriesOf(Object.keys(durableObjects), objects),
    ...entriesOf(Object.keys(queueProducers), (name) => sending(queueProducers[name])),
  };
  return { handlers, env };
}

function namespace() {
  const texts = new Map();
  return { get: async (key) => texts.get(key) ?? null, put: async (key, text) => void texts.set(key, text) };
}

function objects() {
  const all = new Map();
  return {
    idFromName: (name) => name,
    get: (name) => {
      if (!all.has(name)) all.set(name, object());
      return all.get(name);
    },
  };
}

/** A stub, which makes calls one after the other. */
function object() {
  const kept = new Map();
  let alarm;
  const storage = {
    get: async (key) => structuredClone(kept.get(key)),
    put: async (key, value) => void kept.set(key, structuredClone(value)),
    deleteAll: async () => kept.clear(),
    setAlarm: async (at) => {
      clearTimeout(alarm);
      alarm = setTimeout(() => counts.alarm(), at - Date.now()).unref();
    },
  };
  const counts = new Counts({ storage });
  let latest = Promise.resolve();
  return new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...given) => {
          const called = latest.then(() => counts[name](...given));
          latest = called.catch(() => {});
          return called;
        },
    },
  );
}
