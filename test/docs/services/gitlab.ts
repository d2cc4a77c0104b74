import * as v from 'valibot';
import { line, onlyOurMarkdown, service } from './service.ts';

export const gitlab = service({
  host: /^gitlab\.com$/,
  path: /^\/api\/v4\/projects\/\d+\/issues$/,
  headers: { 'private-token': /^glpat-\w+$/ },
  body: v.strictObject({
    title: line(255),
    description: onlyOurMarkdown(/^From:$/),
    labels: v.optional(line()),
    confidential: v.optional(v.boolean()),
  }),
  taken: { status: 201, body: { id: 84, iid: 14, project_id: 5 } },
  error: (status) => ({ message: `${status} Unauthorized` }),
  malformed: [400, ''],
});
