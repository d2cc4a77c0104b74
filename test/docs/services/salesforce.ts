import * as v from 'valibot';
import { filled, line, mailbox, service } from './service.ts';

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
