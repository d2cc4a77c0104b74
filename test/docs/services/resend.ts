import * as v from 'valibot';
import { filled, line, mailbox, sender, service } from './service.ts';

export const resend = service({
  host: /^api\.resend\.com$/,
  path: /^\/emails$/,
  headers: { authorization: /^Bearer re_\w+$/, 'user-agent': /./, 'idempotency-key': /^.{1,256}$/ },
  body: v.strictObject({
    from: sender(),
    to: v.pipe(v.array(sender()), v.minLength(1), v.maxLength(50)),
    reply_to: v.optional(mailbox()),
    subject: line(),
    text: filled(),
  }),
  taken: { status: 200, body: { id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' } },
  error: (statusCode, name) => ({ statusCode, name, message: 'Invalid `from` field: ada' }),
  unauthorized: [401, 'missing_api_key'],
  malformed: [400, 'validation_error'],
});
