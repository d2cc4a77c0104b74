import { always, bundled } from '../bundled.ts';
import { openClientsOf } from '../clients.ts';
import { createRelay as create, type RelayOptions } from '../relay.ts';
import type { Relay } from '../running_relay.ts';
import { openNode } from '../services.ts';

/** Makes a relay on Node.js. Throws a `SettingError` that names every malformed environment variable. */
export function createRelay({ plugins = [], ...options }: RelayOptions = {}): Relay {
  return create(
    {
      bundled,
      openClients: openClientsOf(options),
      ...(options.services?.binding === undefined && { checkPlatform: refuseOtherPlatforms }),
      ...options,
      plugins: [...always, ...plugins],
    },
    openNode,
  );
}

/** Commands only warn of a store that this platform lacks, since the relay may run on another. */
const refuseOtherPlatforms: RelayOptions['checkPlatform'] = (_, { report }) =>
  void report.errors.push(...report.warnings.filter(({ code }) => code === 'store_of_platform'));
