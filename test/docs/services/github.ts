import * as v from 'valibot';
import { line, onlyOurMarkdown, service } from './service.ts';

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
