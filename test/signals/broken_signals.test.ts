/** A bug in a signal, or what its machine forbids, costs nobody's submission. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { akismet } from '../../packages/spam/src/signals/akismet.ts';
import { json, stage } from './service_stage.ts';

const bug = () => {
  throw new Error('Grüße – buy now');
};

test.each([
  ['throws', bug],
  ['rejects, while another waits', async () => bug()],
])('a signal that %s is silent, and the others count', async (_, look) => {
  const make = vi
    .spyOn(akismet, 'make')
    .mockImplementation((weight) => ({ name: 'akismet', weight, service: undefined, look }));
  onTestFinished(() => make.mockRestore());
  const { relay, send, endings } = await stage({
    signals: 'stopforumspam: {url: "$service/api"}, akismet: 4',
    answer: () => json({ success: 1, ip: { appears: 1, confidence: 50 } }),
  });
  expect((await send()).status).toBe(200);
  expect(endings()).toEqual([
    'dropped: 2 points: drop; stopforumspam 2 (reported for spam, with a confidence of 50 %); akismet says nothing (internal error)',
  ]);
  const told = relay.logged.filter(({ event }) => event === 'internal_error');
  expect(told).toEqual([
    expect.objectContaining({ level: 'error', signal: 'akismet', stack: expect.any(Array) }),
  ]);
  expect(JSON.stringify(told)).not.toContain('buy now');
});

test('StopForumSpam is asked about the address alone where MD5 is forbidden, as under FIPS', async () => {
  const { createHash } = crypto;
  onTestFinished(() => have(createHash));
  have((name) => {
    if (name === 'md5') throw new Error('error:0308010C:digital envelope routines::unsupported');
    return createHash(name);
  });
  const { service, relay, send, endings } = await stage({
    signals: 'stopforumspam: {url: "$service/api"}',
    answer: () => json({ success: 1, ip: { appears: 0 } }),
  });
  await send();
  await send({}, '10.0.0.1');
  expect(service.requests.map(({ url }) => url)).toEqual(['/api?json=1&confidence=1&ip=203.0.113.9']);
  expect(endings()).toEqual(['delivered', 'delivered']);
  expect(relay.logged.filter(({ event }) => event === 'internal_error')).toEqual([]);
});

function have(createHash: typeof crypto.createHash): void {
  crypto.createHash = createHash;
  syncBuiltinESMExports();
}
