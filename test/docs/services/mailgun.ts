import * as v from 'valibot';
import { filled, line, mailbox, sender, service } from './service.ts';

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
