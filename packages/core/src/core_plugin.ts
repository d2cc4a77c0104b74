/** What the specification describes, as a plugin like any other. */

import { duration, withDefault } from '@form-relay/schema/kinds';
import { formToken } from './features/form_token.ts';
import { honeypot } from './features/honeypot.ts';
import { minFill } from './features/min_fill.ts';
import { amountTypes } from './fields/amounts.ts';
import { choiceTypes } from './fields/choices.ts';
import { textLikeTypes } from './fields/text.ts';
import { httpOutputs } from './outputs/http.ts';
import { mailOutputs } from './outputs/mail.ts';
import { outputExtension, type Plugin } from './plugin.ts';

const timeout = outputExtension({
  name: 'timeout',
  keys: {
    timeout: withDefault(
      '10s',
      'How long a delivery may take, with its retries. All deliveries of a submission together end within 25 s.',
      duration({ leastMs: 1, mostMs: 25_000 }),
    ),
  },
  configure: ({ output: { timeout: timeoutMs } }) => (timeoutMs === undefined ? undefined : { timeoutMs }),
});

export const corePlugin: Plugin = {
  name: 'core',
  fields: [...textLikeTypes, ...amountTypes, ...choiceTypes],
  outputs: [...httpOutputs, ...mailOutputs],
  outputExtensions: [timeout],
  features: [honeypot, minFill, formToken],
};
