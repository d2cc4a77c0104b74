import { createSmtpClient } from '../../packages/clients/src/smtp/smtp_client.ts';
import type { RelayRequest } from '../../packages/core/src/http/request.ts';
import type { Observer, Plugin } from '../../packages/core/src/plugin.ts';
import type { LogLevel, Services } from '../../packages/core/src/services.ts';
import type { Environment } from '../../packages/core/src/settings.ts';
import type { DeliveryStore } from '../../packages/queue/src/open_stores.ts';
import { createNodeServer } from '../../packages/runtimes/src/node/server.ts';
import type { Metrics } from '../../packages/telemetry/src/metrics/index.ts';
import { createRelay, type Relay } from './bare_relay.ts';
import { ca } from './certificates.ts';
import { listen } from './listen.ts';

export interface LogEvent {
  readonly level: LogLevel;
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface TestRelayOptions {
  /** YAML; by default, the environment says where the config is. */
  readonly config?: string;
  readonly env?: Environment;
  readonly effects?: Partial<Services>;
  /** The queue for deliveries, which uses the relay's clock. With a queue, delays have no random part. */
  readonly store?: (now: () => number) => DeliveryStore;
  readonly metrics?: Metrics;
  readonly observe?: Observer;
  readonly plugins?: readonly Plugin[];
}

/** Names and values in order, or the raw body. */
type Body =
  | string
  | Uint8Array<ArrayBuffer>
  | [name: string, value: string][]
  | Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; throws if it is not JSON. */
  readonly json: unknown;
}

/**
 * A relay that listens on a free port of 127.0.0.1, with a clock that tests can advance. When the relay
 * sleeps, such as between two attempts, the clock advances and nobody waits.
 */
export interface TestRelay {
  readonly origin: string;
  readonly relay: Relay;
  /** All logged events. */
  readonly logged: readonly LogEvent[];
  /** How long it slept each time, in milliseconds. */
  readonly waited: readonly number[];
  /** Advances the relay's clock, in milliseconds, but not its timers. */
  advance(ms: number): void;
  submit(form: string, body: Body, headers?: Record<string, string>): Promise<Answer>;
  /** Posts a form to any path. */
  post(path: string, body: Body, headers?: Record<string, string>): Promise<Answer>;
  /** Submits without a connection, as a runtime calls the relay. */
  handle(form: string, body: Body, more?: Partial<RelayRequest>): ReturnType<Relay['handle']>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  request(path: string, init?: RequestInit): Promise<Answer>;
  /** The final page in a browser: follows the relay's redirects, unless they lead to another site. */
  shown(answer: Answer, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
const bytesOf = (body: Body) =>
  typeof body === 'string' || body instanceof Uint8Array ? body : new URLSearchParams(body).toString();

export async function startRelay({
  config,
  env = {},
  effects = {},
  store,
  metrics,
  observe,
  plugins,
}: TestRelayOptions): Promise<TestRelay> {
  let aheadMs = 0;
  const logged: LogEvent[] = [];
  const waited: number[] = [];
  const now = () => Date.now() + aheadMs;
  const sleep = async (ms: number) => {
    waited.push(ms);
    const until = now() + ms;
    // Sleepers with the same deadline wake together.
    await new Promise(setImmediate);
    aheadMs += Math.max(0, until - now());
  };
  const relay = createRelay({
    ...(config !== undefined && { config }),
    metrics,
    ...(observe && { observe }),
    ...(plugins && { plugins }),
    env: {
      THROTTLE_RATE_LIMIT: '100000',
      THROTTLE_BURST_LIMIT: '100000',
      // Tests connect from 127.0.0.1, which is not a proxy.
      TRUSTED_PROXIES: 'none',
      ...env,
    },
    effects: {
      now,
      sleep,
      log: (level, event, fields) => logged.push({ level, event, ...fields }),
      smtp: createSmtpClient({ ca }),
      ...(store && { random: () => 0, openStore: async () => store(now) }),
      ...effects,
    },
  });
  const server = createNodeServer(relay.handle, {
    log: relay.services.log,
    limits: relay.settings,
    level: metrics?.level,
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;

  const shown = async (answer: Answer, headers: Record<string, string> = {}): Promise<Answer> => {
    const next = new URL(answer.headers.get('location') ?? '', `${origin}/api/v1/submit/form`);
    return answer.status === 303 && next.origin === origin
      ? request(next.pathname + next.search, { headers })
      : answer;
  };
  const request = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(origin + path, { redirect: 'manual', ...init });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      get json(): unknown {
        return JSON.parse(text);
      },
    };
  };
  const post: TestRelay['post'] = (path, body, headers = {}) =>
    request(path, { method: 'POST', headers: { ...urlencoded, ...headers }, body: bytesOf(body) });
  return {
    origin,
    relay,
    logged,
    waited,
    advance: (ms) => {
      aheadMs += ms;
    },
    request,
    shown,
    get: (path, headers = {}) => request(path, { headers }),
    post,
    submit: (form, body, headers = {}) => post(`/api/v1/submit/${encodeURIComponent(form)}`, body, headers),
    handle: (form, body, { headers, ...more } = {}) =>
      relay.handle({
        method: 'POST',
        path: `/api/v1/submit/${form}`,
        query: '',
        headers: { ...urlencoded, ...headers },
        body: Buffer.from(bytesOf(body)),
        ...more,
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await relay.close();
    },
  };
}
