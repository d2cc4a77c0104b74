import * as v from 'valibot';
import { mailbox, service } from './service.ts';

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
