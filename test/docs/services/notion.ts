import * as v from 'valibot';
import { filled, mailbox, service } from './service.ts';

const text = v.pipe(
  v.array(v.strictObject({ text: v.strictObject({ content: v.pipe(v.string(), v.maxLength(2000)) }) })),
  v.minLength(1),
);

/** A database with these columns. */
export const notion = service({
  host: /^api\.notion\.com$/,
  path: /^\/v1\/pages$/,
  headers: { authorization: /^Bearer ntn_\w+$/, 'notion-version': /^2025-09-03$/ },
  body: v.strictObject({
    parent: v.strictObject({
      type: v.literal('data_source_id'),
      data_source_id: v.pipe(v.string(), v.uuid()),
    }),
    properties: v.strictObject({
      Name: v.strictObject({ title: text }),
      Email: v.strictObject({ email: mailbox() }),
      Topic: v.optional(v.strictObject({ select: v.strictObject({ name: filled(100) }) })),
      Message: v.strictObject({ rich_text: text }),
    }),
  }),
  taken: { status: 200, body: { object: 'page', id: '59833787-2cf9-4fdf-8782-e53db20768a5' } },
  error: (status, code) => ({ object: 'error', status, code, message: 'Ada is not a property that exists.' }),
  unauthorized: [401, 'unauthorized'],
  malformed: [400, 'validation_error'],
  elsewhere: [404, 'object_not_found'],
});
