/** Keys that outputs of Amazon SES had. */

import { outputExtension } from '@form-relay/core/extensions';
import type { Plugin } from '@form-relay/core/index';
import { removed } from '@form-relay/schema/schema';

const sesOptions = outputExtension({
  name: 'ses_options',
  types: ['email'],
  keys: {
    configuration_set: removed(
      '0.2.0',
      "SES knows a default of the sender's identity",
      'leave it out, and make the set the default of the identity (docs/outputs/email.md#when-mails-bounce)',
    ),
    tags: removed('0.2.0', 'a configuration set for each form tells as much', 'leave them out'),
  },
  configure: () => undefined,
});

export const plugin: Plugin = { name: 'ses_options', outputExtensions: [sesOptions] };
