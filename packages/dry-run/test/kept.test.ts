/** A dry run says which deliveries a relay would keep and retry. Retries are not simulated. */

import { ClientError } from '@form-relay/base/client_error';
import { expect, test } from 'vitest';
import type { SubmissionReport } from '../src/report.ts';
import { stage } from './stage.ts';

async function reportOf(form: string, isDown = false): Promise<SubmissionReport> {
  const config = `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    ${form}
    fields: [{name: email, type: email, required: true}]
    kept_message: Later.
    outputs:
      - {type: http_post, url: "https://crm.example.com/leads", mapping: "*", retries: 0}
      - {type: http_post, url: "https://hooks.example.com/", mapping: "*"}
`;
  const { send, reports } = stage({
    config,
    isDelivering: isDown,
    services: {
      http: async ({ url: { host } }) => {
        if (host === 'crm.example.com') throw new ClientError('connect ECONNREFUSED', { retryAfterMs: 0 });
        return { status: 200, headers: {}, body: '' };
      },
    },
  });
  const { report } = await send('contact', 'email=a@b.example', {
    headers: { accept: 'application/problem+json' },
  });
  expect(reports).toHaveLength(1);
  return report;
}

test('a failed delivery would be kept', async () => {
  const report = await reportOf('keep: failed', true);
  expect(report).toMatchObject({
    outcome: 'delivered',
    says: 'to 1 of 2 outputs, 1 kept',
    answer: { status: 200, body: expect.stringContaining('Later.') },
    keep: { what: 'failed', in: '/var/lib/form-relay' },
    outputs: [{ result: 'kept', reason: 'connect ECONNREFUSED', isKept: true }, { result: 'delivered' }],
  });
  expect(report.outputs[1]).not.toHaveProperty('isKept');
});

test('a delivery that is always kept is shown as delivered after the answer', async () => {
  expect(await reportOf('keep: always')).toMatchObject({
    says: 'to 2 of 2 outputs',
    answer: { status: 200, body: expect.stringContaining('Later.') },
    outputs: [
      { result: 'delivered', isKept: true, sent: [{ kind: 'http' }] },
      { result: 'delivered', isKept: true, sent: [{ kind: 'http' }] },
    ],
  });
  expect(await reportOf('keep: always', true)).toMatchObject({
    says: 'to 1 of 2 outputs, 1 kept',
    outputs: [{ result: 'kept', isKept: true, sent: [{ kind: 'http' }] }, { result: 'delivered' }],
  });
});
