/** Form Relay as a library. */
import { createRelay as create, type RelayOptions, type Relay as WithoutFetch } from './relay.ts';
import { type FetchInfo, fetchHandler } from './runtimes/fetch.ts';

export { ClientError, type ClientErrorCode } from './base/client_error.ts';
export type {
  Effects,
  HttpAnswer,
  HttpClient,
  HttpMethod,
  HttpRequest,
  Log,
  LogLevel,
  ReadObject,
  SesClient,
  SesMessage,
  SmtpClient,
  SmtpMessage,
} from './base/effects.ts';
export type {
  CheckEvidence,
  CheckName,
  DeliveryError,
  Listener,
  Observer,
  StreetEvent,
} from './base/event.ts';
export type { RelayRequest, RelayResponse } from './base/http.ts';
export type {
  Aside,
  Claim,
  HandedMessage,
  Keep,
  KeepOptions,
  KeepPlace,
  Kept,
  KeptOutput,
  KeptReason,
  Listed,
  OpenStore,
  Store,
  Waiting,
  WaitingOfForm,
} from './base/kept.ts';
export type { Trace } from './base/trace.ts';
export type { ConfigCache } from './config/cache.ts';
export type { Config } from './config/parse.ts';
export type { Problem } from './config/problem.ts';
export type { RelayOptions } from './relay.ts';
export type { FetchInfo } from './runtimes/fetch.ts';
export { closeServer } from './runtimes/node/closing.ts';
export { createNodeServer } from './runtimes/node/server.ts';
export { type Environment, SettingError, type Settings } from './schema/settings/settings.ts';
export type { Handle } from './street/app.ts';

export interface Relay extends WithoutFetch {
  /** Answers a web-standard `Request`, for runtimes and frameworks that speak it. Never rejects. */
  readonly fetch: (request: Request, info?: FetchInfo) => Promise<Response>;
}

/** Makes a relay. Throws a `SettingError` that names every malformed environment variable. */
export function createRelay(options?: RelayOptions): Relay {
  const relay = create(options);
  return Object.assign(relay, { fetch: fetchHandler(relay.handle) });
}
