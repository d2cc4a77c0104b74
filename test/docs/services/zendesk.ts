import * as v from 'valibot';
import { filled, line, mailbox, service } from './service.ts';

export const zendesk = service({
  host: /^example\.zendesk\.com$/,
  path: /^\/api\/v2\/tickets\.json$/,
  headers: { authorization: /^Basic [\w+/]+=*$/, 'idempotency-key': /./, accept: /^application\/json$/ },
  body: v.strictObject({
    ticket: v.strictObject({
      subject: line(),
      comment: v.strictObject({ body: filled(65_535) }),
      requester: v.strictObject({ name: filled(), email: mailbox() }),
      tags: v.optional(v.array(v.pipe(v.string(), v.regex(/^\S+$/)))),
    }),
  }),
  taken: { status: 201, body: { ticket: { id: 35436, status: 'new' } } },
  error: (status, error) =>
    status === 401 ? { error: "Couldn't authenticate you" } : { error, description: 'Ada', details: {} },
  malformed: [422, 'RecordInvalid'],
});
