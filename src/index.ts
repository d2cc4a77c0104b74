/** Form Relay as a library. */
export type { Handle } from './app.ts';
export type { ConfigCache } from './config/cache.ts';
export type { Config } from './config/parse.ts';
export type { Problem } from './config/problem.ts';
export {
  ClientError,
  type Effects,
  type HttpAnswer,
  type HttpClient,
  type HttpPost,
  type Log,
  type LogLevel,
  type ReadObject,
  type SesClient,
  type SesMessage,
  type SmtpClient,
  type SmtpMessage,
} from './effects.ts';
export type { RelayRequest, RelayResponse } from './http.ts';
export { createRelay, type Relay, type RelayOptions } from './relay.ts';
export { closeServer, createNodeServer } from './runtimes/node.ts';
export { type Environment, SettingError, type Settings } from './settings.ts';
