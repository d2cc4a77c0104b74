import { ok } from '@form-relay/base/result';
import { variable } from '@form-relay/schema/variables';

/** The variables that the command line alone reads, for the reference. */
export const ownVariables = {
  relayConfig: {
    ...variable(
      'RELAY_CONFIG',
      'Path of the config for the command line, and for `relay serve` and `relay doctor` when none of the above is set.',
      ok<string>,
    ),
    fallback: 'webform.yaml',
  },
  secretsDir: variable(
    'SECRETS_DIR',
    'A folder whose files are variables: `CRM_TOKEN` in it is the value of `CRM_TOKEN`, for `{{ env "CRM_TOKEN" }}` and for the relay itself. A line break at the end does not count. For secrets of Docker and Kubernetes, and credentials of systemd; the `relay` command reads it when it starts.',
    ok<string>,
  ),
};
