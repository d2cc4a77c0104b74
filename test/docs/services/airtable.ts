import * as v from 'valibot';
import { filled, mailbox, service } from './service.ts';

/** A table with these columns. */
export const airtable = service({
  host: /^api\.airtable\.com$/,
  path: /^\/v0\/app\w{14}\/[^/?]+$/,
  headers: { authorization: /^Bearer pat[\w.]+$/ },
  body: v.strictObject({
    records: v.pipe(
      v.array(
        v.strictObject({
          fields: v.strictObject({
            Name: filled(),
            Email: mailbox(),
            Topics: v.optional(v.pipe(v.array(filled()), v.minLength(1))),
            Message: v.optional(filled(100_000)),
            Received: v.pipe(v.string(), v.isoTimestamp()),
          }),
        }),
      ),
      v.minLength(1),
      v.maxLength(10),
    ),
    typecast: v.optional(v.boolean()),
  }),
  taken: {
    status: 200,
    body: { records: [{ id: 'rec560UJdUtocSouk', createdTime: '2030-12-31T23:59:59Z' }] },
  },
  error: (_, type) =>
    type === 'NOT_FOUND' ? { error: type } : { error: { type, message: 'Unknown field: "Ada"' } },
  unauthorized: [401, 'AUTHENTICATION_REQUIRED'],
  malformed: [422, 'INVALID_REQUEST_UNKNOWN'],
  elsewhere: [404, 'NOT_FOUND'],
});
