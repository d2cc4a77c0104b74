/** How reports describe a check, or a check that is off, and which one ended the submission. */

import { issueToken } from '@form-relay/spam/form_token';
import { answerFor, hardness, solutionFor } from '@form-relay/spam/proof/challenge';
import { signalTypes } from '@form-relay/spam/signals/index';
import { decode, encode } from '../../../test/support/puzzles.ts';
import { showReport } from '../src/show_report.ts';
import { now, reportOn, secret } from './report_on.ts';
import { stage } from './stage.ts';

describe('the origin', () => {
  const cases: readonly (readonly [Record<string, string>, string])[] = [
    [{ origin: 'https://www.example.com' }, 'passed: sent from a page of one of the origins'],
    [{ 'sec-fetch-site': 'same-origin' }, 'passed: sent from a page of the relay’s own origin'],
    [{ referer: 'https://forms.example.com/form' }, 'passed: sent from a page of the relay’s own origin'],
    [
      { origin: 'https://evil.example' },
      `ended: sent from https://evil.example, which is not among the allowed origins`,
    ],
    [{ origin: 'null' }, 'passed: the browser does not report the page'],
    [{}, 'passed: the browser does not report the page'],
  ];
  test.each(cases)('%j: %s', async (headers, says) => {
    const send = reportOn('origins: ["https://www.example.com"]');
    expect(await send('origin', {}, { headers })).toBe(says);
  });
});

test.each([
  ['1 per 10m', '10 min'],
  ['1 per 2m', '2 min'],
  ['1 per 90s', '90 s'],
  ['1 per 1h', '1 h'],
  ['1 per 90m', '1.5 h'],
])('the rate limit: %s', async (rate, within) => {
  const send = reportOn(`rate_limit: ${rate}`);
  expect(await send('rate_limit', {})).toBe('passed: within the rate limit');
  expect(await send('rate_limit', {})).toBe(`ended: more than 1 within ${within}`);
});

test.each([
  [{}, { peerAddress: undefined }, "the runtime does not report the client's address"],
  [
    {},
    { peerAddress: '10.0.0.1', headers: { 'x-forwarded-for': '203.0.113.7' } },
    'the connection comes from 10.0.0.0/8, which looks like a proxy; list it in TRUSTED_PROXIES, or write none if there is no proxy',
  ],
  [
    { TRUSTED_PROXIES: '10.0.0.1' },
    { peerAddress: '10.0.0.1' },
    'a proxy in TRUSTED_PROXIES does not report the client in the header of PROXY_HEADER',
  ],
])('the rate limit: does not count unknown clients: %j %j', async (env, request, why) => {
  const send = reportOn('rate_limit: 1 per 10m', env);
  for (let count = 0; count < 2; count += 1) {
    expect(await send('rate_limit', {}, request)).toBe(
      `passed: not counted, because the client is unknown: ${why}`,
    );
  }
});

test('which entry of thanks applies', async () => {
  const send = reportOn("thanks: [{when: {field: name, is: Ada}, text: 'Dear {{ .fields.name }}'}]");
  expect(await send('thanks', { name: 'Ada' })).toBe('passed: thanks[0] is shown');
  expect(await send('thanks', {})).toBe('passed: no entry of thanks applies: the confirmation is shown');
});

/** How reports describe a proof: which proofs count, which do not, and why. */

describe('the proof', () => {
  const solution = (form = 'contact', { most = hardness.usual as number, minutes = 10, of = secret } = {}) =>
    solutionFor(of, form, { nonce: 'one', expiresAt: now + minutes * 60_000, most });
  const changed = (change: (number: number) => number) => {
    const sent = decode(solution());
    return encode({ ...sent, number: change(Number(sent.number)) });
  };
  const tokenOf = (form = 'contact', minutes = 0) =>
    issueToken(secret, form, { issuedAt: now - minutes * 60_000, waitedMs: 0 });
  const digitsOf = (token: string, form = 'contact') => answerFor(secret, form, token);
  /** A solution with this many characters. JSON allows spaces anywhere. */
  const ofLength = (characters: number) => {
    const json = Buffer.from(solution(), 'base64').toString();
    return Buffer.from(json + ' '.repeat((characters * 3) / 4 - json.length)).toString('base64');
  };
  const solved = 'passed: the puzzle is solved';
  const none = 'ended: the solution is malformed';
  const foreign = 'ended: the puzzle was not issued by this relay with this FORM_TOKEN_SECRET';
  const missing = 'ended: there is no solution: the form was sent without its script';
  const old = 'ended: the solution is too old (form_ttl)';
  const easy = 'ended: the solution is for an easier puzzle than required';
  test.each([
    ['the right one', solution(), solved],
    ['nothing', '', missing],
    ['spaces', '  ', missing],
    ['as many bytes as a value may have', ofLength(10_000), solved],
    ['more bytes', ofLength(10_004), none],
    ['no solution', 'nonsense', none],
    ['a puzzle of another secret', solution('contact', { of: 'another secret' }), foreign],
    ['another number', changed((number) => number + 1), 'ended: the solution is wrong'],
    ['a puzzle of another form', solution('other'), 'ended: the solution is for another form'],
    ['an old puzzle', solution('contact', { minutes: 0 }), old],
    ['a puzzle as easy as those that are asked', solution('contact', { most: hardness.usual }), solved],
    ['an easier puzzle', solution('contact', { most: hardness.usual - 1 }), easy],
  ])('%s', async (_, altcha, says) =>
    expect(await reportOn('spam: {proof_of_work: true}')('proof', { altcha })).toBe(says),
  );

  const hash = '0'.repeat(64);
  test.each<[string, unknown]>([
    ['algorithm', 'SHA-512'],
    ['challenge', hash.slice(1)],
    ['challenge', `x${hash}`],
    ['signature', `${hash}0`],
    ['salt', 'without an end'],
    ['number', '1'],
    ['number', -1],
    ['number', null],
  ])('a solution with an invalid %s, %j, is rejected', async (part, value) => {
    const send = reportOn('spam: {proof_of_work: true}');
    const altcha = encode({ ...decode(solution()), [part]: value });
    expect(await send('proof', { altcha })).toBe('ended: the solution is malformed');
  });

  const right = tokenOf();
  const wrong = String(1_000 + ((Number(digitsOf(right)) + 1) % 9_000));
  const other = tokenOf('other');
  const [inTime, late] = [tokenOf('contact', 60), tokenOf('contact', 61)];
  test.each([
    ['the number', right, ` ${digitsOf(right)} `, 'passed: the question is answered'],
    ['another number', right, wrong, 'ended: the solution is wrong'],
    ['the number of another form', other, digitsOf(other, 'other'), foreign],
    ['the number of no form', '', '1234', foreign],
    ['the number of a form open for an hour', inTime, digitsOf(inTime), 'passed: the question is answered'],
    ['the number of a form open for longer', late, digitsOf(late), old],
  ])('without a script, %s', async (_, token, altcha, says) => {
    const send = reportOn('spam: {proof_of_work: true, form_ttl: 60m}');
    expect(await send('proof', { altcha, _ts: token })).toBe(says);
  });
});

/** How `relay explain` and the studio report the signals of a form. */

async function reportOf(spam: string, message: string) {
  const { send } = stage({
    config: `
forms:
  contact:
    spam: ${spam}
    fields: [{name: message}]
    outputs: [{type: http_post, url: "https://crm.example/", mapping: "*"}]
`,
  });
  const { report } = await send('contact', { message });
  return { report, doubt: report.checks.find(({ check }) => check === 'doubt') };
}

/** The tests cover how points are shown, not how they are computed. */
const signals = (own: object) =>
  JSON.stringify({
    ...Object.fromEntries(
      signalTypes.filter(({ example }) => example === undefined).map(({ name }) => [name, 0]),
    ),
    ...own,
  });

const offer = Array.from({ length: 8 }, (_, nth) => `https://offer-${nth}.example/`).join(' ');

test('each signal has its points and reason, and each action its threshold', async () => {
  const { report, doubt } = await reportOf(
    `{doubt: {observe: 0.5, tag: 1}, signals: ${signals({ links: 9 })}}`,
    offer,
  );
  expect(doubt?.verdict).toBe('passed');
  expect(doubt?.says).toMatch(/^\d+(\.\d)? points: tagged \(observe from 0\.5, tag from 1\)$/);
  const links = doubt?.signals?.find(({ signal }) => signal === 'links');
  expect(links?.points).toBeGreaterThan(0);
  const printed = showReport(report, process.stdout);
  expect(printed).toMatch(new RegExp(`^ +${links?.points}  links +${links?.why.slice(0, 5)}`, 'm'));
  expect(printed).toContain('x-form-doubt: ');
});
