/** Form Relay as a library for programs on Node.js. The types for plug-ins are in plugin.ts. */

import type { Plugin } from '@form-relay/core/plugin';
import { checkedPlugin } from '@form-relay/plugin-host/checked_plugin';
import type { MakePlugin } from '@form-relay/plugin-host/kit';
import { type FetchInfo, fetchHandler } from './fetch.ts';
import { createRelay as create } from './node/relay.ts';
import type { RelayOptions as OwnOptions } from './relay.ts';
import type { Relay as WithoutFetch } from './running_relay.ts';

export { tracingHeaders } from '@form-relay/base/trace_context';
export type { Form } from '@form-relay/core/form';
export type { RelayRequest, RelayResponse } from '@form-relay/core/http/request';
export type { Observer, Plugin } from '@form-relay/core/plugin';
export type { Log, LogLevel, Services } from '@form-relay/core/services';
export type { Settings } from '@form-relay/core/settings';
export { SettingError } from '@form-relay/core/settings';
export { type MakePlugin, sharedKit } from '@form-relay/plugin-host/kit';
export type { FetchInfo } from './fetch.ts';
export { closeServer } from './node/closing.ts';
export { createNodeServer } from './node/server.ts';
export type { OpenRuntime, Runtime } from './relay.ts';

export interface Relay extends WithoutFetch {
  /** Answers a web-standard `Request`, for runtimes and frameworks that use it. Never rejects. */
  readonly fetch: (request: Request, info?: FetchInfo) => Promise<Response>;
}

export type RelayOptions = Omit<OwnOptions, 'plugins'> & {
  /** Plug-ins, or the exports of their modules. */
  readonly plugins?: readonly (Plugin | MakePlugin)[];
};

/** Makes a relay. Throws a `SettingError` that names every malformed environment variable. */
export function createRelay({ plugins = [], ...options }: RelayOptions = {}): Relay {
  const relay = create({ ...options, plugins: plugins.map(checkedPlugin) });
  return Object.assign(relay, { fetch: fetchHandler(relay.handle) });
}
