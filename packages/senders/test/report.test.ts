/** The owner's report on a server's submission: how it describes each outcome. */

import { createDryRun } from '@form-relay/dry-run/dry_run';
import { explain } from '@form-relay/dry-run/explain';
import type { SubmissionReport } from '@form-relay/dry-run/report';
import { ClientError } from '../../../test/support/failed.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { Counter, createMemoryCounts } from '../../capacity/src/counters/counter.ts';
import type { Services } from '../../core/src/services.ts';
import { billing, counting, env } from './stage.ts';

type OpenCounter = () => Promise<Counter>;

/** Sends as a server, and returns what the latest report says about the key. */
function reportOn(openCounter?: OpenCounter, log: Services['log'] = () => {}) {
  const form = `{fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}], keys_env: [KEY_BILLING, KEY_SHOP]}`;
  const reports: SubmissionReport[] = [];
  const { handle, close } = createDryRun({
    config: `counted_in: ${tempFolder()}\nforms: {order: ${form}}`,
    env,
    services: { log, sleep: async () => {} },
    plugins: openCounter ? [counting(openCounter)] : [],
    onReport: (report) => reports.push(report),
  });
  onTestFinished(close);
  return async (name = 'Ada', key = billing) => {
    await handle({
      method: 'POST',
      path: '/api/v1/submit/order',
      query: '',
      peerAddress: '203.0.113.7',
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': 'order-1',
        'content-type': 'application/json',
      },
      body: Buffer.from(JSON.stringify({ name })),
    });
    const found = reports.at(-1)?.checks.find(({ check }) => check === 'keys');
    return `${found?.verdict}: ${found?.says}`;
  };
}

test('a first attempt, a repeated one, and one with other values', async () => {
  const send = reportOn();
  expect(await send()).toBe('passed: sent with the key in KEY_BILLING');
  expect(await send()).toMatch(
    /^passed: repeats an earlier try under the same Idempotency-Key: [\da-f-]{36}$/,
  );
  expect(await send('Grace')).toBe('ended: this Idempotency-Key was already used with other values');
});

test('the checks for browsers are off for a server', async () => {
  const { report } = await explain(
    'order',
    { pairs: [['name', 'Ada']], key: 'KEY_BILLING' },
    {
      config: `forms: {order: {fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}], keys_env: [KEY_BILLING], spam: {honeypot: website, min_fill_seconds: 3}}}`,
      env: {},
    },
  );
  expect(report.checks.map(({ check, verdict, says }) => `${check} ${verdict}: ${says}`)).toEqual([
    ...['keys passed: sent with the key in KEY_BILLING', 'validation passed: 1 field is valid'],
    ...[
      'honeypot off: servers with a key skip this check',
      'min_fill off: servers with a key skip this check',
    ],
    ...['captcha off: the form has no captcha', 'proof off: the form has no spam.proof_of_work'],
    ...['doubt off: the form has no spam.doubt'],
  ]);
});

test('an attempt while another is in progress', async () => {
  const counter = new Counter(createMemoryCounts(), Date.now);
  const change = counter.change.bind(counter);
  let changes = 0;
  // For the store, the first attempt never ends.
  counter.change = async (...given) => {
    changes += 1;
    if (changes === 2 || changes === 3) throw new ClientError('the process is dead');
    return change(...given);
  };
  const send = reportOn(async () => counter);
  await send();
  expect(await send()).toBe('ended: another try under the same Idempotency-Key is still being delivered');
});

test.each([
  [new ClientError('the store is away'), 'the store is away', []],
  [new TypeError('a mistake'), 'internal error', ['internal_error']],
])('a store that fails: %s', async (error, reason, events) => {
  const logged: string[] = [];
  const fails = async () => {
    throw error;
  };
  const send = reportOn(fails, (level, event) => level === 'error' && void logged.push(event));
  expect(await send()).toBe(`ended: the store cannot look up its Idempotency-Key: ${reason}`);
  expect(logged.filter((event) => event === 'internal_error')).toEqual(events);
});
