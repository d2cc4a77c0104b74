import * as v from 'valibot';
import { filled, line, mailbox, service } from './service.ts';

const person = v.strictObject({ email: mailbox(), name: v.optional(line(70)) });

const rules = {
  host: /^api\.brevo\.com$/,
  headers: { 'api-key': /^xkeysib-\w+$/ },
  error: (_: number, code: string) => ({ code, message: 'Invalid email address ada' }),
  unauthorized: [401, 'unauthorized'],
  malformed: [400, 'invalid_parameter'],
} as const;

/** An account with this attribute. */
export const brevo = service({
  ...rules,
  path: /^\/v3\/contacts$/,
  body: v.strictObject({
    email: mailbox(),
    attributes: v.optional(v.strictObject({ FIRSTNAME: v.string() })),
    listIds: v.pipe(v.array(v.pipe(v.number(), v.integer())), v.minLength(1)),
    updateEnabled: v.literal(true),
  }),
  taken: { status: 201, body: { id: 21 } },
});

export const brevoMail = service({
  ...rules,
  path: /^\/v3\/smtp\/email$/,
  body: v.strictObject({
    sender: person,
    to: v.pipe(v.array(person), v.minLength(1)),
    replyTo: v.optional(person),
    subject: line(),
    textContent: filled(),
  }),
  taken: { status: 201, body: { messageId: '<203012312359.12345678901@smtp-relay.mailin.fr>' } },
});
