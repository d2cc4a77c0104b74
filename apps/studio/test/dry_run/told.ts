import type { RelayRequest } from '../../../../packages/core/src/http/request.ts';
import { createDryRun } from '../../src/dry_run/dry_run.ts';
import type { SubmissionReport } from '../../src/dry_run/report.ts';

export const secret = 'a secret of many characters';
/** The clock stands still. */
export const now = Date.UTC(2030, 0, 1);

/** Sends to a form with these keys, and gives what the story of it says of one check. */
export function told(keys: string, env: Record<string, string> = {}) {
  const form = `{fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}], ${keys}}`;
  const stories: SubmissionReport[] = [];
  const { handle } = createDryRun({
    config: `forms: {contact: ${form}}`,
    env: { FORM_TOKEN_SECRET: secret, PUBLIC_URL: 'https://forms.example.com', ...env },
    services: { log: () => {}, now: () => now },
    onReport: (story) => stories.push(story),
  });
  return async (check: string, values: Record<string, string>, request: Partial<RelayRequest> = {}) => {
    await handle({
      method: 'POST',
      path: '/api/v1/submit/contact',
      query: '',
      peerAddress: '203.0.113.7',
      ...request,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...request.headers },
      body: Buffer.from(new URLSearchParams(values).toString()),
    });
    const found = stories.at(-1)?.checks.find((one) => one.check === check);
    return `${found?.verdict}: ${found?.says}`;
  };
}
