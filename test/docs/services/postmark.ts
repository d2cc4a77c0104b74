import * as v from 'valibot';
import { filled, line, mailbox, sender, service } from './service.ts';

export const postmark = service({
  host: /^api\.postmarkapp\.com$/,
  path: /^\/email$/,
  headers: {
    'x-postmark-server-token': /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
    accept: /^application\/json$/,
  },
  body: v.strictObject({
    From: sender(),
    To: sender(),
    ReplyTo: v.optional(mailbox()),
    Subject: line(2000),
    TextBody: filled(),
    MessageStream: v.optional(v.string()),
  }),
  taken: { status: 200, body: { To: 'you@example.com', ErrorCode: 0, Message: 'OK' } },
  error: (_, code) => ({ ErrorCode: Number(code), Message: "Invalid 'From' address: 'ada'." }),
  unauthorized: [401, '10'],
  malformed: [422, '300'],
});
