/** The report on a gate, and on a check that is off: each in words, and which of them ended the submission. */
import { describe, expect, test } from 'vitest';
import { reportOn } from './report_on.ts';

describe('the origin', () => {
  const cases: readonly (readonly [Record<string, string>, string])[] = [
    [{ origin: 'https://www.example.com' }, 'passed: sent from a page among the origins'],
    [{ 'sec-fetch-site': 'same-origin' }, 'passed: sent from a page of the relay’s own origin'],
    [{ referer: 'https://forms.example.com/form' }, 'passed: sent from a page of the relay’s own origin'],
    [
      { origin: 'https://evil.example' },
      'ended: sent from https://evil.example, which is not among the origins',
    ],
    [{ origin: 'null' }, 'passed: its browser does not say from which page it comes'],
    [{}, 'passed: its browser does not say from which page it comes'],
  ];
  test.each(cases)('%j: %s', async (headers, says) => {
    const send = reportOn('origins: ["https://www.example.com"]');
    expect(await send('origin', {}, { headers })).toBe(says);
  });
});

describe('the rate limit', () => {
  test.each([
    ['1 per 10m', '10 min'],
    ['1 per 2m', '2 min'],
    ['1 per 90s', '90 s'],
    ['1 per 1h', '1 h'],
    ['1 per 90m', '1.5 h'],
  ])('%s', async (rate, within) => {
    const send = reportOn(`rate_limit: ${rate}`);
    expect(await send('rate_limit', {})).toBe('passed: within the rate limit');
    expect(await send('rate_limit', {})).toBe(`ended: more than 1 within ${within}`);
  });

  test.each([
    [{}, { peerAddress: undefined }, 'the runtime does not say who connected'],
    [
      {},
      { peerAddress: '10.0.0.1', headers: { 'x-forwarded-for': '203.0.113.7' } },
      'it comes from 10.0.0.0/8, as from a proxy; name that in TRUSTED_PROXIES, or write none where no proxy is',
    ],
    [
      { TRUSTED_PROXIES: '10.0.0.1' },
      { peerAddress: '10.0.0.1' },
      'a proxy of TRUSTED_PROXIES does not say whom it speaks for in the header of PROXY_HEADER',
    ],
  ])('counts nobody whom it does not know: %j %j', async (env, request, why) => {
    const send = reportOn('rate_limit: 1 per 10m', env);
    for (let count = 0; count < 2; count += 1) {
      expect(await send('rate_limit', {}, request)).toBe(
        `passed: not counted, since nobody knows who sends it: ${why}`,
      );
    }
  });
});

test('which entry of thanks answers', async () => {
  const send = reportOn("thanks: [{when: {field: name, is: Ada}, text: 'Dear {{ .fields.name }}'}]");
  expect(await send('thanks', { name: 'Ada' })).toBe('passed: it says thanks[0]');
  expect(await send('thanks', {})).toBe('passed: no entry holds, so it says the confirmation');
});
