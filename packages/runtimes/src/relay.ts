import { createRelay as create, type Relay, type RelayOptions } from '@form-relay/core/relay';
import { always, bundled } from './bundled.ts';
import { reportCloudflareStores } from './cloudflare/cloudflare_stores.ts';
import { openNode } from './services.ts';

/** Makes a relay on Node.js. Throws a `SettingError` that names every malformed environment variable. */
export const createRelay = ({ plugins = [], ...options }: RelayOptions = {}): Relay =>
  create(
    {
      bundled,
      ...(options.services?.binding === undefined && { checkPlatform: reportCloudflareStores }),
      ...options,
      plugins: [...always, ...plugins],
    },
    openNode,
  );
