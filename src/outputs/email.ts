import { sesTarget } from '../transports/ses/ses_message.ts';
import {
  fileFieldsIn,
  fromKey,
  mailKeys,
  mailOf,
  mailProblems,
  mailWarnings,
  takesFile,
} from './mail_outputs.ts';
import { lateHtml } from './mail_words.ts';
import { outputType } from './output.ts';

export const email = outputType({
  type: 'email',
  summary: 'Sends a mail through Amazon SES.',
  keys: {
    ...mailKeys,
    from: fromKey('The sender, which SES must have verified. Default: MAIL_FROM_ADDRESS.'),
  },
  lateKeys: [lateHtml],
  problems: mailProblems,
  warnings: mailWarnings,
  target: ({ to, cc, bcc, from }) => sesTarget({ to, cc, bcc, from }),
  message: (output, job, scope) =>
    Object.assign(mailOf(output, job, scope), { via: 'ses', from: output.from } as const),
  carry: (output, mail) => ({ ...mail, via: 'ses', from: mail.from ?? output.from }),
  sendsOfItself: ({ html, text }) => html || text !== undefined,
  readsFields: fileFieldsIn,
  takesFile,
});
