/** Mailing lists, and CRMs. */
import * as v from 'valibot';
import { filled, line, mailbox, service } from './service.ts';

const names = ['email', 'firstname', 'lastname', 'topics', 'message'];

/** A form with these fields. */
export const hubspot = service({
  host: /^api\.hsforms\.com$/,
  path: /^\/submissions\/v3\/integration\/submit\/\d+\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  body: v.strictObject({
    fields: v.pipe(
      v.array(v.strictObject({ objectTypeId: v.literal('0-1'), name: v.picklist(names), value: v.string() })),
      v.check((fields) => fields.some(({ name, value }) => name === 'email' && v.is(mailbox(), value))),
    ),
    context: v.optional(v.strictObject({ pageUri: v.pipe(v.string(), v.url()), pageName: filled() })),
  }),
  taken: { status: 200, body: { inlineMessage: '<p>Thanks for submitting the form.</p>' } },
  error: (_, errorType) => ({
    status: 'error',
    message: 'The request is not valid',
    correlationId: 'd23e9a1b-5d6e-4b3e-8f3a-1f7b3c1d2e4f',
    errors: [{ message: "Error in 'fields.email'. Invalid email address 'ada'", errorType }],
  }),
  malformed: [400, 'INVALID_EMAIL'],
  elsewhere: [404, 'FORM_NOT_FOUND'],
});

export const listmonk = service({
  host: /^lists\.example\.com$/,
  path: /^\/api\/public\/subscription$/,
  body: v.strictObject({
    email: mailbox(),
    name: v.optional(v.string()),
    list_uuids: v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.minLength(1)),
  }),
  taken: { status: 200, body: { data: { has_optin: true } } },
  error: () => ({ message: 'Invalid email: ada' }),
  malformed: [400, ''],
});

const member = v.strictObject({
  email_address: mailbox(),
  status: v.picklist(['subscribed', 'unsubscribed', 'cleaned', 'pending', 'transactional']),
  merge_fields: v.optional(v.strictObject({ FNAME: v.string() })),
});

const result = (errors: readonly object[]) => ({
  new_members: errors.length > 0 ? [] : [{ id: '1', status: 'pending' }],
  updated_members: [],
  errors,
  total_created: 1 - errors.length,
  total_updated: 0,
  error_count: errors.length,
});

export const mailchimp = service({
  host: /^us\d+\.api\.mailchimp\.com$/,
  path: /^\/3\.0\/lists\/[\da-f]{10}$/,
  // anystring:key
  headers: { authorization: /^Basic [\w+/]+=*$/ },
  body: v.strictObject({
    members: v.pipe(v.array(member), v.minLength(1), v.maxLength(500)),
    update_existing: v.optional(v.boolean()),
  }),
  taken: { status: 200, body: result([]) },
  error: (status, error_code) =>
    status === 200
      ? result([{ email_address: 'ada@example.org', error: 'ada@example.org is …', error_code }])
      : { type: 'https://mailchimp.com/developer/…', title: 'API Key Invalid', status, detail: 'Ada' },
  malformed: [400, ''],
});

export const salesforce = service({
  host: /^firm\.my\.salesforce\.com$/,
  path: /^\/services\/data\/v\d+\.0\/sobjects\/Lead$/,
  headers: { authorization: /^Bearer \S+$/ },
  body: v.strictObject({
    FirstName: v.optional(line(40)),
    LastName: line(80),
    Email: v.optional(mailbox()),
    Company: line(255),
    Description: v.optional(filled(32_000)),
    LeadSource: v.optional(line(255)),
  }),
  taken: { status: 201, body: { id: '00QD000000VuGPY', success: true, errors: [] } },
  error: (_, errorCode) => [{ message: 'No such column Ada on sobject of type Lead', errorCode, fields: [] }],
  unauthorized: [401, 'INVALID_SESSION_ID'],
  malformed: [400, 'REQUIRED_FIELD_MISSING'],
  elsewhere: [404, 'NOT_FOUND'],
});
