import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '@form-relay/base/client_error';
import { readTextFile } from '@form-relay/base/text_file';
import { withTimeout } from '@form-relay/base/with_timeout';
import { connectionFailure } from '@form-relay/clients/socket';
import type { Services } from '@form-relay/core/index';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Authenticator, NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { failed, inTime, timedOut } from '../failures.ts';
import type { NatsAddress } from './index.ts';
import { type Subjects, subjectsOf } from './stream_message.ts';

export interface LiveConnection {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
}

/** When each server is tried again. */
const reconnectMs = 500;

/** How often to check whether the connection is open again. */
const lookMs = 50;

/** A connection that is silent for three times this long is given up. */
const pingMs = 5_000;

interface Session extends LiveConnection {
  isUp: boolean;
  /** Rejects requests in progress when the connection breaks. */
  readonly waiting: Set<(why: symbol) => void>;
}

const broken = Symbol('the connection was lost');

/** A store's connection to its servers, opened on first use, and again when it breaks. */
export class StreamConnection {
  #opening: Promise<Session> | undefined;
  /** The latest session. */
  #latest: Session | undefined;
  #isClosed = false;
  #isEnding = false;
  readonly stream: string;
  readonly subjects: Subjects;

  constructor(
    private readonly place: NatsAddress,
    private readonly readEnv: Services['env'],
  ) {
    this.stream = place.stream;
    this.subjects = subjectsOf(place.stream);
  }

  /**
   * Does `work`, and repeats it on the next connection if this one breaks, so `work` must be idempotent.
   * Rejects with a `ClientError`, after `timeoutMs` at the latest, and then does not repeat it any more.
   * After `stop`, it does not wait for a new connection.
   */
  async ask<T>(
    timeoutMs: number,
    work: (live: LiveConnection, restMs: number) => Promise<T>,
    stop?: AbortSignal,
  ): Promise<T> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const restMs = Math.ceil(until - performance.now());
      if (restMs <= 0) timedOut(timeoutMs);
      try {
        const on = await this.#session(restMs);
        const leftMs = Math.max(1, Math.ceil(until - performance.now()));
        if (on.isUp)
          return await withTimeout(leftMs, this.#whileUp(on, work(on, leftMs)), () => timedOut(timeoutMs));
        if (this.#isEnding || stop?.aborted) throw failed('closed', { before: 'answer' }, mayPass);
        // The library reconnects automatically.
        await sleep(lookMs);
      } catch (error) {
        if (error !== broken) throw natsFailure(error, this.place, timeoutMs);
      }
    }
  }

  /**
   * Publishes the next message of a subject if its last sequence number is this one (0: none). Resolves with
   * `false` if another process was first.
   */
  publishAfter(
    lastSubjectSequence: number,
    subject: string,
    text: string,
    { timeoutMs, ...once }: { readonly timeoutMs: number; readonly msgID?: string },
  ): Promise<boolean> {
    const expect = { streamName: this.stream, lastSubjectSequence };
    return this.ask(timeoutMs, async ({ js }, timeout) => {
      try {
        await js.publish(subject, text, { ...once, timeout, expect });
        return true;
      } catch (error) {
        if (codeOf(error) === wrongLastSequence) return false;
        throw error;
      }
    });
  }

  publish(timeoutMs: number, subject: string, data: Uint8Array | string, msgID: string) {
    return this.ask(timeoutMs, ({ js }, timeout) =>
      js.publish(subject, data, { msgID, timeout, expect: { streamName: this.stream } }),
    );
  }

  purge(timeoutMs: number, which: { readonly filter: string; readonly keep?: number }) {
    return this.ask(timeoutMs, ({ jsm }) => jsm.streams.purge(this.stream, which));
  }

  /** Publishes a message, if the connection is open now; later, it could mean something else. */
  say(subject: string, text: string): void {
    if (this.#latest?.isUp) this.#latest.nc.publish(subject, text);
  }

  /** From now on, requests do not wait for a new connection. */
  end(): void {
    this.#isEnding = true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const nc = (await this.#opening?.catch(() => undefined))?.nc;
    // The library's last write may still fail after a moment. Closing removes the listener, which would leave that error uncaught.
    await new Promise((resolve) => setImmediate(resolve));
    await nc?.close();
  }

  async #open(): Promise<Session> {
    // Loading these modules takes 20 ms.
    const [{ connect }, { jetstream, jetstreamManager }] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/jetstream'),
    ]);
    const options = await optionsOf(this.place, this.readEnv);
    const nc = await withoutLeftovers(() => connect(options));
    const jsm = await jetstreamManager(nc, { checkAPI: false });
    const session: Session = { nc, js: jetstream(nc), jsm, isUp: true, waiting: new Set() };
    const goDown = () => {
      session.isUp = false;
      for (const reject of session.waiting) reject(broken);
    };
    void (async () => {
      for await (const { type } of nc.status()) {
        if (type === 'disconnect') goDown();
        if (type === 'reconnect') session.isUp = true;
      }
    })();
    void nc.closed().then(() => {
      this.#opening = undefined;
      goDown();
    });
    this.#latest = session;
    return session;
  }

  /** The session, whose connection may be down. */
  async #session(restMs: number): Promise<Session> {
    if (this.#isClosed) throw failed('client_closed');
    this.#opening ??= this.#open();
    const own = this.#opening;
    own.catch(() => {
      if (this.#opening === own) this.#opening = undefined;
    });
    return inTime(restMs, own);
  }

  /** Rejects with `broken` when the connection breaks. */
  #whileUp<T>({ waiting }: Session, work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.add(reject);
      void work.then(resolve, reject).finally(() => waiting.delete(reject));
    });
  }
}

const ownSockets = new AsyncLocalStorage<Set<Socket>>();

/** Closes the sockets of a failed attempt, because the library leaves them open if a server accepts but sends nothing. */
async function withoutLeftovers<T>(connect: () => Promise<T>): Promise<T> {
  const opened = new Set<Socket>();
  const note = (message: unknown) =>
    void ownSockets.getStore()?.add((message as { readonly socket: Socket }).socket);
  subscribe('net.client.socket', note);
  try {
    return await ownSockets.run(opened, connect);
  } catch (error) {
    for (const socket of opened) socket.destroy();
    throw error;
  } finally {
    unsubscribe('net.client.socket', note);
  }
}

/** Reads the environment variables of the `nats` command. */
async function optionsOf(
  { servers, isTls }: NatsAddress,
  readEnv: Services['env'],
): Promise<NodeConnectionOptions> {
  const file = async (name: string) => {
    const path = readEnv(name);
    if (!path) return undefined;
    const found = await readTextFile(path);
    if (!found.ok) throw failed('nats_file_unreadable', { name, path, reason: found.error });
    return found.value.text;
  };
  const { credsAuthenticator, nkeyAuthenticator } = await import('@nats-io/transport-node');
  const [creds, nkey, ca, cert, key] = await Promise.all(
    ['NATS_CREDS', 'NATS_NKEY', 'NATS_CA', 'NATS_CERT', 'NATS_KEY'].map(file),
  );
  const bytes = (text: string) => new TextEncoder().encode(text.trim());
  const [user, pass, token] = ['NATS_USER', 'NATS_PASSWORD', 'NATS_TOKEN'].map(readEnv);
  return {
    servers: [...servers],
    name: 'form-relay',
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectMs,
    pingInterval: pingMs,
    maxPingOut: 2,
    timeout: 5_000,
    noAsyncTraces: true,
    ...(creds !== undefined && { authenticator: checked('NATS_CREDS', credsAuthenticator(bytes(creds))) }),
    ...(nkey !== undefined && { authenticator: checked('NATS_NKEY', nkeyAuthenticator(bytes(nkey))) }),
    ...(user && { user }),
    ...(pass && { pass }),
    ...(token && { token }),
    // If this key exists, even without a value, the library requires TLS.
    ...((isTls || ca !== undefined || cert !== undefined) && {
      tls: {
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      },
    }),
  };
}

/** Replaces the library's error, which may contain a secret. */
const checked =
  (name: string, authenticator: Authenticator): Authenticator =>
  (nonce) => {
    try {
      return authenticator(nonce);
    } catch {
      throw failed('nats_credentials_malformed', { name });
    }
  };

/** An error of the client library, of JetStream (with its code), or of the system. */
interface Found extends Error {
  readonly code?: unknown;
  readonly operation?: unknown;
  readonly subject?: unknown;
}

export const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

/** JetStream's code for another process having written to the subject. */
const wrongLastSequence = 10_071;

/** JetStream's codes for "full": of the stream, the account, or the server's disk. */
const fullCodes: readonly unknown[] = [10_077, 10_048, 10_002, 10_028, 10_047, 10_023];

const mayPass = { retryAfterMs: 0 };

/** Whether a failure means that the stream is full. */
export const isFull = (error: unknown): boolean => error instanceof ClientError && error.code === 'nats_full';

/** The `ClientError` for an expected failure of a stream; returns other errors unchanged. */
function natsFailure(error: unknown, place: NatsAddress, timeoutMs: number): unknown {
  const { stream } = place;
  if (error instanceof ClientError || !(error instanceof Error)) return error;
  const parts = causesOf(error);
  const named = (name: string) => parts.find((one) => one.name === name);
  const system = parts.find(({ code }) => typeof code === 'string');
  if (/MODULE_NOT_FOUND$/.test(String(system?.code))) return failed('nats_client_missing');
  if (system) return connectionFailure(system as NodeJS.ErrnoException, 'answer');
  const violation = named('PermissionViolationError');
  if (violation) return failed('nats_not_allowed', { what: `${violation.operation} ${violation.subject}` });
  if (named('AuthorizationError') || named('UserAuthenticationExpiredError'))
    return failed('nats_login_refused');
  if (named('TimeoutError')) return failed('timed_out', { timeoutMs }, mayPass);
  if (named('StreamNotFoundError')) return failed('nats_no_stream', place);
  if (named('ConsumerNotFoundError')) return failed('nats_no_consumer', { stream });
  if (named('JetStreamNotEnabled')) return failed('nats_without_jetstream', place, mayPass);
  const refused = named('JetStreamApiError');
  if (refused) return refusal(Number(refused.code), place);
  if (named('ClosedConnectionError') || named('RequestError'))
    return failed('closed', { before: 'answer' }, mayPass);
  const connection = named('ConnectionError');
  if (/'tls'/.test(connection?.message ?? '')) return failed('nats_without_tls');
  return connection ? failed('connection_failed', { call: 'connect', codes: ['NATS'] }, mayPass) : error;
}

function refusal(code: number, place: NatsAddress): ClientError {
  const { stream } = place;
  if (fullCodes.includes(code)) return failed('nats_full', { stream }, mayPass);
  if (code === 10_054) return failed('nats_too_large', { stream });
  // The subject belongs to another stream.
  if (code === 10_060) return failed('nats_no_stream', place);
  return failed('nats_refused', { number: code }, mayPass);
}

const causesOf = (error: Error): readonly Found[] =>
  error.cause instanceof Error ? [error, ...causesOf(error.cause)] : [error];
