import * as v from 'valibot';
import { filled, mailbox, service } from './service.ts';

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
