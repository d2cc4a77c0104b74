/** What the specification describes, as a plugin like any other. */
import { captcha } from './features/captcha.ts';
import { formToken } from './features/form_token.ts';
import { honeypot } from './features/honeypot.ts';
import { minFill } from './features/min_fill.ts';
import { amountTypes } from './fields/amounts.ts';
import { choiceTypes } from './fields/choices.ts';
import { textLikeTypes } from './fields/text.ts';
import { httpOutputs } from './outputs/http.ts';
import { mailOutputs } from './outputs/mail.ts';
import { timeout } from './outputs/timeout.ts';
import type { Plugin } from './plugin.ts';

export const corePlugin: Plugin = {
  name: 'core',
  fields: [...textLikeTypes, ...amountTypes, ...choiceTypes],
  outputs: [...httpOutputs, ...mailOutputs],
  outputExtensions: [timeout],
  features: [honeypot, minFill, captcha, formToken],
};
