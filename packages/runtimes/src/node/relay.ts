import { thirdParty } from '@form-relay/config/third_party';
import type { Plugin } from '@form-relay/core/plugin';
import type { Relay } from '@form-relay/core/relay';
import type { MakePlugin } from '@form-relay/core/shared_kit';
import { always, bundled } from '../bundled.ts';
import { createRelay as create, type RelayOptions } from '../relay.ts';
import { openNode } from '../services.ts';

/** `plugins`: plug-ins, or what their modules export. */
export type NodeRelayOptions = Omit<RelayOptions, 'plugins'> & {
  readonly plugins?: readonly (Plugin | MakePlugin)[];
};

/** Makes a relay on Node.js. Throws a `SettingError` that names every malformed environment variable. */
export function createRelay({ plugins = [], ...options }: NodeRelayOptions = {}): Relay {
  return create(
    {
      bundled,
      ...(options.services?.binding === undefined && { checkPlatform: refuseOtherPlatforms }),
      ...options,
      plugins: [...always, ...plugins.map(thirdParty)],
    },
    openNode,
  );
}

/** Commands only warn of a store that this platform lacks, since the relay may run on another. */
const refuseOtherPlatforms: RelayOptions['checkPlatform'] = (_, { report }) =>
  void report.errors.push(...report.warnings.filter(({ code }) => code === 'store_of_platform'));
