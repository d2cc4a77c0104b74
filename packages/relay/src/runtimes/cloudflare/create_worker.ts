import { err, ok } from '../../base/result.ts';
import { throttledReport } from '../../base/throttled.ts';
import { createUuids } from '../../base/uuids.ts';
import { cloudflareLacks, unboundIn } from '../../config/platforms/cloudflare.ts';
import { type ConfigSource, noSource, textSource } from '../../config/source.ts';
import { StoreCounter } from '../../counting/counter.ts';
import { openCounts } from '../../counting/stores/index.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import { createRelay, type Relay } from '../../relay.ts';
import { type Environment, readSettings, type Settings } from '../../schema/settings/settings.ts';
import { createLog } from '../../telling/log.ts';
import { createFetchHttp, createFetchHttpClient } from '../../transports/http/fetch_client.ts';
import { fetchHandler } from '../fetch.ts';
import { kvSource } from './kv_source.ts';
import { createObjectRates } from './object_rates.ts';
import { tryBatch } from './queue_batch.ts';
import type { FormRelayWorker, WorkerOptions } from './worker_options.ts';

/**
 * Makes the Worker. Like a function of AWS Lambda, it rejects each request while a variable is malformed, with the reason in the
 * log.
 */
export function createWorker(options: WorkerOptions = {}): FormRelayWorker {
  let started: Started | undefined;
  const start = (env: object) => {
    try {
      started ??= startRelay(options, env as Record<string, unknown>);
      return started;
    } catch (error) {
      const log = createLog(writeConsole, Date.now);
      log('error', 'start_failed', { reason: (error as Error).message });
      log.flush();
      throw error;
    }
  };
  return {
    async fetch(request, env, context) {
      const { answer, follow } = start(env);
      const peerAddress = request.headers.get('cf-connecting-ip') ?? undefined;
      // A visitor who leaves must not cancel a delivery, nor what others wait for.
      const answered = answer(request, { peerAddress });
      context.waitUntil(answered.then(follow));
      return answered;
    },
    queue: async (batch, env) => tryBatch(start(env).relay, batch),
  };
}

interface Started {
  readonly relay: Relay;
  readonly answer: ReturnType<typeof fetchHandler>;
  /** Resolves when nothing is left that nobody waits for. */
  readonly follow: () => Promise<void>;
}

function startRelay(options: WorkerOptions, bindings: Readonly<Record<string, unknown>>): Started {
  // Wrangler's `vars` may also be numbers and booleans.
  const env: Environment = Object.fromEntries(
    Object.entries(bindings).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)]] : [],
    ),
  );
  const binding = (name: string) => (Object.hasOwn(bindings, name) ? bindings[name] : undefined);
  const settings = readSettings(env);
  const now = Date.now;
  const following = new Set<Promise<unknown>>();
  const log = createLog(writeConsole, now, { level: settings.logLevel });
  const awsHttp = createFetchHttp();
  const relay: Relay = createRelay({
    env,
    source: sourceOf(options, settings, binding),
    binding,
    awsHttp,
    lacking: (config) => [...cloudflareLacks(config), ...unboundIn(config, binding)],
    memory: options.limits === undefined ? undefined : sharedBy(options.limits),
    // A Worker is called for the due messages of a queue.
    triesAgain: false,
    effects: {
      http: createFetchHttpClient(),
      log: (...event) => {
        log(...event);
        log.flush();
      },
      // A promise of another request must not be waited for, so counters share nothing.
      openCounter: async (place) => new StoreCounter(await openCounts(place, await world()), now),
      // No thread could be stopped. Patterns that need one do not load.
      matchPatterns: async (_, tasks) => tasks.map(() => 'too_slow'),
    },
  });
  const world = async () => {
    const { ownAws } = await import('../../transports/aws/account.ts');
    return { readEnv: relay.effects.env, aws: ownAws(relay.effects.env, now, awsHttp), now, binding };
  };
  function sharedBy(limits: string): Memory {
    const own = createMemory({ now, uuid: createUuids() }, settings);
    const rates = createObjectRates(limits, own.rates, {
      binding,
      follow: (work) => {
        const ended = work.catch(() => undefined).finally(() => following.delete(ended));
        following.add(ended);
      },
      tellUnshared: throttledReport(now, (times, reason: string) =>
        relay.effects.log('warn', 'limits_unshared', { reason, times }),
      ),
    });
    return Object.create(own, { rates: { value: rates } });
  }
  return {
    relay,
    answer: fetchHandler(relay.handle, false),
    follow: async () => void (await Promise.all(following)),
  };
}

function sourceOf(
  { config, files = {}, kv }: WorkerOptions,
  { configInline, configBucket, configKey }: Settings,
  binding: (name: string) => unknown,
): ConfigSource | undefined {
  if (config !== undefined) {
    const readBeside: ConfigSource['readBeside'] = async (path) => {
      const text = Object.hasOwn(files, path) ? files[path] : undefined;
      return text === undefined ? err(`createWorker got no text for it under files`) : ok(text);
    };
    return { ...textSource('config', config), readBeside };
  }
  if (kv !== undefined) return kvSource(kv, configKey, binding);
  return configInline !== undefined || configBucket !== undefined
    ? undefined
    : { ...noSource, read: readNothing };
}

/** Unlike the relay's own, it does not ask for a file. */
const readNothing = async () =>
  err('give createWorker a config or kv, or set CONFIG_INLINE or CONFIG_BUCKET (docs/deploy/cloudflare.md)');

/** Cloudflare keeps what the console gets, a line an event. */
function writeConsole(bytes: Buffer): number {
  console.log(bytes.toString().trimEnd());
  return bytes.length;
}
