/** Several clients on one relay: CONFIG_DIR names a folder with a config for each (docs/clients.md). */
import { ok } from '@form-relay/base/result';
import type { Plugin } from '@form-relay/core/plugin';
import { variable } from '@form-relay/schema/variables';
import { operatorFile } from './folder.ts';
import { clientsFeature } from './rules.ts';

export const plugin: Plugin = {
  name: 'clients',
  features: [clientsFeature],
  variables: {
    configDir: variable(
      'CONFIG_DIR',
      `A folder with a config for each client, in place of one config: \`acme.yaml\`, or \`acme/webform.yaml\` with files beside it, whose forms are \`acme/NAME\`; \`${operatorFile}\` says what holds for all (docs/clients.md). Not together with CONFIG_INLINE, CONFIG_FILE or CONFIG_BUCKET.`,
      ok<string>,
    ),
  },
};
