import * as v from 'valibot';
import { filled, line, service } from './service.ts';

/** Atlassian's document format: no text may be empty. */
const text = v.strictObject({ type: v.literal('text'), text: filled(32_767) });
const block = v.union([
  v.strictObject({ type: v.literal('paragraph'), content: v.array(text) }),
  v.strictObject({ type: v.literal('codeBlock'), content: v.array(text) }),
]);

export const jira = service({
  host: /^example\.atlassian\.net$/,
  path: /^\/rest\/api\/3\/issue$/,
  headers: { authorization: /^Basic [\w+/]+=*$/ },
  body: v.strictObject({
    fields: v.strictObject({
      project: v.strictObject({ key: v.pipe(v.string(), v.regex(/^[A-Z]+$/)) }),
      issuetype: v.strictObject({ name: filled() }),
      summary: line(255),
      description: v.strictObject({ type: v.literal('doc'), version: v.literal(1), content: v.array(block) }),
    }),
  }),
  taken: { status: 201, body: { id: '10000', key: 'DESK-24' } },
  error: () => ({ errorMessages: [], errors: { summary: 'Ada' } }),
  malformed: [400, ''],
});
