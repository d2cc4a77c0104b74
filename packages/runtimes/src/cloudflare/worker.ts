import { posix } from 'node:path';
import { ownersText } from '@form-relay/base/owners_text';
import { err, ok } from '@form-relay/base/result';
import { withTimeout } from '@form-relay/base/with_timeout';
import { createFetchHttp, createFetchHttpClient } from '@form-relay/clients/http/fetch_client';
import { type ConfigSource, noSource, textSource } from '@form-relay/config/source';
import type { Log, Services } from '@form-relay/core/services';
import { type Environment, readSettings, type Settings } from '@form-relay/core/settings';
import { checkedPlugin } from '@form-relay/plugin-host/checked_plugin';
import type { MakePlugin } from '@form-relay/plugin-host/kit';
import { awsServices } from '../aws_services.ts';
import { always, bundled } from '../bundled.ts';
import { fetchHandler } from '../fetch.ts';
import { createLog, type WriteLog } from '../log.ts';
import { createRelay, type OpenRuntime } from '../relay.ts';
import { unboundIn, unsupportedOnCloudflare } from './unsupported.ts';

export interface WorkerOptions {
  /** The config as YAML text, such as an imported file. Default: `kv`, or CONFIG_INLINE or CONFIG_BUCKET. */
  readonly config?: string;
  /** Contents of the sibling files that the config names, keyed by those names. */
  readonly files?: Readonly<Record<string, string>>;
  /** The exports of plug-in modules, which Wrangler bundles. */
  readonly plugins?: readonly MakePlugin[];
  /** The binding of the KV namespace that holds the config, under CONFIG_KEY (default: `webform.yaml`). */
  readonly kv?: string;
}

/** The part of Cloudflare's context that the relay uses. */
export interface WorkerContext {
  waitUntil(work: Promise<unknown>): void;
}

/** The handlers of a Worker, for its default export. `env` holds its variables, secrets and bindings. */
export interface FormRelayWorker {
  fetch(request: Request, env: object, context: WorkerContext): Promise<Response>;
  /** @see https://developers.cloudflare.com/queues/configuration/javascript-apis/#messagebatch */
  queue(batch: object, env: object, context: WorkerContext): Promise<void>;
}

/** Cloudflare stops a queue consumer after 15 minutes. */
const batchMs = 10 * 60_000;

/**
 * Makes the Worker. Starts the relay with the first request, because Cloudflare allows no work earlier. While
 * a variable is malformed, it rejects each request and logs the reason, like a function on AWS Lambda.
 */
export function createWorker(options: WorkerOptions = {}): FormRelayWorker {
  let started: ReturnType<typeof startRelay> | undefined;
  const start = (env: object) => {
    try {
      started ??= startRelay(options, new Map(Object.entries(env)));
      return started;
    } catch (error) {
      logTo(Date.now)('error', 'start_failed', { reason: error instanceof Error ? error.message : '' });
      throw error;
    }
  };
  return {
    async fetch(request, env, context) {
      const { answer } = start(env);
      const peerAddress = request.headers.get('cf-connecting-ip') ?? undefined;
      // A visitor who disconnects must not cancel a delivery, or work that other requests wait for.
      const answered = answer(request, { peerAddress });
      context.waitUntil(answered);
      return answered;
    },
    queue: async (batch, env) => void (await start(env).relay.event(batch, batchMs)),
  };
}

function startRelay(options: WorkerOptions, bindings: ReadonlyMap<string, unknown>) {
  // Wrangler's `vars` may also be numbers and booleans.
  const env: Environment = Object.fromEntries(
    [...bindings].flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)]] : [],
    ),
  );
  const binding = (name: string) => bindings.get(name);
  const settings = readSettings(env);
  const now = Date.now;
  const log = logTo(now, settings);
  const relay = createRelay(
    {
      env,
      bundled,
      plugins: [...always, ...(options.plugins ?? []).map(checkedPlugin)],
      source: sourceOf(options, settings, binding),
      checkPlatform: (config, at) => {
        unsupportedOnCloudflare(config, at);
        unboundIn(config, binding, at);
      },
      // Queues call the Worker with messages that are due.
      freezes: true,
      platform: 'workers',
      services: { log, binding },
    },
    openWorker,
  );
  return { relay, answer: fetchHandler(relay.handle, false) };
}

/** The services of a Worker, which has neither sockets nor a disk. */
const openWorker: OpenRuntime = ({ now, env }) => {
  const awsHttp = createFetchHttp();
  const aws: Services['aws'] = async () =>
    (await import('@form-relay/clients/aws/account')).ownAws(env, now, awsHttp);
  return {
    services: {
      now,
      env,
      uuid: () => crypto.randomUUID(),
      // Nothing runs between requests.
      repeat: () => () => undefined,
      http: createFetchHttpClient(),
      // `unsupportedOnCloudflare` rejects configs that need this.
      smtp: async () => {
        throw new Error('Cloudflare Workers have no sockets');
      },
      readFile: async () => err('Cloudflare Workers have no disk'),
      ...awsServices(aws),
    },
    writeLog: writeConsole,
    close: async () => undefined,
  };
};

function sourceOf(
  { config, files = {}, kv }: WorkerOptions,
  { configInline, configBucket, configKey }: Settings,
  binding: (name: string) => unknown,
): ConfigSource | undefined {
  if (config !== undefined) {
    const readSibling: ConfigSource['readSibling'] = async (path) => {
      const text = Object.hasOwn(files, path) ? files[path] : undefined;
      return text === undefined ? err('createWorker has no text for it under files') : ok(text);
    };
    return { ...textSource('config', config), readSibling };
  }
  if (kv !== undefined) return kvSource(kv, configKey, binding);
  return configInline !== undefined || configBucket !== undefined
    ? undefined
    : { ...noSource, read: readNothing };
}

/** Unlike the relay's default source, it reads no file. */
const readNothing = async () =>
  err('pass config or kv to createWorker, or set CONFIG_INLINE or CONFIG_BUCKET (docs/deploy/cloudflare.md)');

/** A log that writes each line at once. Cloudflare stores the console output, one line per event. */
function logTo(now: () => number, settings?: Settings): Log {
  const { log, flush } = createLog(now, settings?.logLevel ?? 'info', writeConsole);
  return (...event) => {
    log(...event);
    flush();
  };
}

const writeConsole: WriteLog = (bytes) => {
  console.log(bytes.toString().trimEnd());
  return bytes.length;
};

interface KvNamespace {
  get(key: string, type: 'arrayBuffer'): Promise<ArrayBuffer | null>;
}

const readMs = 8_000;

/** A config in Workers KV. Sibling files have keys relative to the config's key: `lists/blocked.txt` next to `webform.yaml`. */
export function kvSource(name: string, key: string, binding: (name: string) => unknown): ConfigSource {
  const read: ConfigSource['readSibling'] = async (key) => {
    const namespace = binding(name) as KvNamespace | undefined;
    if (typeof namespace?.get !== 'function')
      return err(`no KV namespace is bound to "${name}"; add it to kv_namespaces in wrangler.jsonc`);
    const reading = namespace.get(key, 'arrayBuffer').catch(() => 'failed' as const);
    const found = await withTimeout(readMs, reading, () => undefined);
    if (found === 'failed') return err('KV returned an error');
    if (found === undefined) return err(`KV did not respond within ${readMs} ms`);
    if (found !== null) return ownersText(Buffer.from(found));
    return err(
      `there is no "${key}"; write it with: npx wrangler kv key put --remote --binding ${name} ${key} --path ${posix.basename(key)}`,
    );
  };
  return {
    name: `kv:${name}/${key}`,
    read: () => read(key),
    readSibling: (path) => read(posix.join(posix.dirname(key), path)),
  };
}
