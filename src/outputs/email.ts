import { sesTarget } from '../transports/ses/ses_message.ts';
import { mailKeys, mailOf } from './mail_outputs.ts';
import { outputType } from './output.ts';

export const email = outputType({
  type: 'email',
  summary: 'Sends a plain-text message through Amazon SES, from MAIL_FROM_ADDRESS.',
  keys: mailKeys,
  target: ({ to }) => sesTarget(to),
  message: (output, job, scope) => ({ via: 'ses', ...mailOf(output, job, scope) }),
});
