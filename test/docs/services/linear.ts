import * as v from 'valibot';
import { line, onlyOurMarkdown, service } from './service.ts';

export const linear = service({
  host: /^api\.linear\.app$/,
  path: /^\/graphql$/,
  headers: { authorization: /^lin_api_\w+$/ },
  body: v.strictObject({
    query: v.pipe(
      v.string(),
      v.regex(
        /^mutation \w+\(\$input: IssueCreateInput!\) \{ issueCreate\(input: \$input\) \{ success \} \}$/,
      ),
    ),
    variables: v.strictObject({
      input: v.strictObject({
        teamId: v.pipe(v.string(), v.uuid()),
        title: line(),
        description: onlyOurMarkdown(/^From:$/),
      }),
    }),
  }),
  taken: { status: 200, body: { data: { issueCreate: { success: true } } } },
  error: (_, code) => ({
    errors: [
      {
        message: 'Entity not found: Team',
        path: ['issueCreate'],
        extensions: { code, type: 'invalid input' },
      },
    ],
    data: null,
  }),
  unauthorized: [401, 'AUTHENTICATION_ERROR'],
  malformed: [400, 'INPUT_ERROR'],
});
