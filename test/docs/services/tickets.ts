/** Services in which a submission becomes an issue or a ticket. */
import * as v from 'valibot';
import { filled, line, mailbox, onlyOurMarkdown, service } from './service.ts';

export const github = service({
  host: /^api\.github\.com$/,
  path: /^\/repos\/[\w-]+\/[\w.-]+\/issues$/,
  headers: {
    authorization: /^Bearer github_pat_\w+$/,
    'user-agent': /./,
    accept: /^application\/vnd\.github\+json$/,
    'x-github-api-version': /^2022-11-28$/,
  },
  body: v.strictObject({
    title: line(256),
    body: onlyOurMarkdown(/^From:$/),
    labels: v.optional(v.array(line(50))),
  }),
  taken: { status: 201, body: { id: 1, number: 1347, title: 'Found a bug' } },
  error: (status) => ({
    message: 'Bad credentials',
    documentation_url: 'https://docs.github.com/rest',
    status: `${status}`,
  }),
  malformed: [422, ''],
});

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

/** Atlassian's document format: texts may not be empty. */
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
