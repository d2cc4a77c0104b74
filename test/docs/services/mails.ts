/** Services that send mail over HTTP, and the contacts of one of them. */
import * as v from 'valibot';
import { filled, line, mailbox, sender, service } from './service.ts';

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

const one = (schema: v.GenericSchema) => v.strictTuple([schema]);

export const mailgun = service({
  host: /^api\.mailgun\.net$/,
  path: /^\/v3\/[\w.-]+\/messages$/,
  headers: { authorization: /^Basic [\w+/]+=*$/ },
  contentType: 'application/x-www-form-urlencoded',
  body: v.strictObject({
    from: one(sender()),
    to: one(sender()),
    'h:Reply-To': v.optional(one(mailbox())),
    subject: one(line()),
    text: one(filled()),
  }),
  taken: { status: 200, body: { id: '<20301231.1@mg.example.com>', message: 'Queued. Thank you.' } },
  error: (status) =>
    status === 401 ? 'Forbidden' : { message: "'from' parameter is not a valid address: ada" },
  malformed: [400, ''],
});

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

const personOfSendgrid = v.strictObject({ email: mailbox(), name: v.optional(line()) });

export const sendgrid = service({
  host: /^api\.sendgrid\.com$/,
  path: /^\/v3\/mail\/send$/,
  headers: { authorization: /^Bearer SG\.[\w.-]+$/ },
  body: v.strictObject({
    personalizations: v.pipe(
      v.array(v.strictObject({ to: v.pipe(v.array(personOfSendgrid), v.minLength(1)) })),
      v.minLength(1),
    ),
    from: personOfSendgrid,
    reply_to: v.optional(personOfSendgrid),
    subject: line(),
    content: v.strictTuple([v.strictObject({ type: v.literal('text/plain'), value: filled() })]),
  }),
  taken: { status: 202 },
  error: () => ({ errors: [{ message: 'Ada is not a valid address', field: 'from', help: null }] }),
  malformed: [400, ''],
});
