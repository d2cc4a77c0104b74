/** The deliveries that a relay would keep, in the studio. */
import { expect, test } from 'vitest';
import { ClientError } from '../../../../packages/base/src/client_error.ts';
import { reportOf, stage } from './stage.ts';

const config = `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    keep: failed
    fields: [{name: email}]
    outputs:
      - {type: http_post, url: "https://crm.example.com/leads", mapping: "*"}
      - {type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}
`;

test('the page shows what is kept', async () => {
  let isDown = true;
  const http = async ({ url: { host } }: { readonly url: URL }) => {
    if (isDown && host === 'crm.example.com') throw new ClientError('down', { retryAfterMs: 0 });
    return { status: 200, headers: {}, body: '' };
  };
  const at = await stage({ config, isDelivering: true, effects: { http } });
  const events = await at.events();
  const send = async () => {
    expect((await at.post('/api/v1/submit/contact', { email: 'a@b.example' })).status).toBe(200);
    return reportOf(await events.next('report'));
  };
  const kept = await send();
  expect(kept.ending).toMatchObject({ word: 'Kept in part', tone: 'warn' });
  isDown = false;
  await at.edit(config.replace('keep: failed', 'keep: always'));
  const delivered = await send();
  expect(delivered.ending.word).toBe('Delivered');
  expect(delivered.report.outputs.map(({ isKept }) => isKept)).toEqual([true, true]);
});
