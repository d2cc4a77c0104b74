import * as v from 'valibot';
import { filled, line, mailbox, service } from './service.ts';

const person = v.strictObject({ email: mailbox(), name: v.optional(line()) });

export const sendgrid = service({
  host: /^api\.sendgrid\.com$/,
  path: /^\/v3\/mail\/send$/,
  headers: { authorization: /^Bearer SG\.[\w.-]+$/ },
  body: v.strictObject({
    personalizations: v.pipe(
      v.array(v.strictObject({ to: v.pipe(v.array(person), v.minLength(1)) })),
      v.minLength(1),
    ),
    from: person,
    reply_to: v.optional(person),
    subject: line(),
    content: v.strictTuple([v.strictObject({ type: v.literal('text/plain'), value: filled() })]),
  }),
  taken: { status: 202 },
  error: () => ({ errors: [{ message: 'Ada is not a valid address', field: 'from', help: null }] }),
  malformed: [400, ''],
});
