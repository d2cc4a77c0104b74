import type { RelayRequest } from '@form-relay/core/http/request';
import { stage } from './stage.ts';

export const secret = 'a secret of many characters';
/** A fixed time. */
export const now = Date.UTC(2030, 0, 1);

/** Sends to a form with these keys, and returns what the report says about one check. */
export function reportOn(keys: string, env: Record<string, string> = {}) {
  const form = `{fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}], ${keys}}`;
  const { send } = stage({
    config: `forms: {contact: ${form}}`,
    env: { FORM_TOKEN_SECRET: secret, PUBLIC_URL: 'https://forms.example.com', ...env },
    services: { now: () => now },
  });
  return async (check: string, values: Record<string, string>, request: Partial<RelayRequest> = {}) => {
    const { report } = await send('contact', values, { peerAddress: '203.0.113.7', ...request });
    const found = report.checks.find((one) => one.check === check);
    return `${found?.verdict}: ${found?.says}`;
  };
}
