/** The report on a proof for its owner: what counts as one, what does not and why. */

import { issueToken } from '@form-relay/core/features/form_token';
import { answerFor, hardness, solutionFor } from '@form-relay/spam/proof/challenge';
import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../../test/support/puzzles.ts';
import { now, reportOn, secret } from './report_on.ts';

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
  /** A solution in so many characters. JSON takes spaces anywhere. */
  const ofLength = (characters: number) => {
    const json = Buffer.from(solution(), 'base64').toString();
    return Buffer.from(json + ' '.repeat((characters * 3) / 4 - json.length)).toString('base64');
  };
  const cases: readonly (readonly [promise: string, keys: string, altcha: string, says: string])[] = [
    ['what is right', 'true', solution(), 'passed: the puzzle is solved'],
    ['nothing', 'true', '', 'ended: there is no solution: it was sent without the form’s script'],
    ['spaces', 'true', '  ', 'ended: there is no solution: it was sent without the form’s script'],
    ['as many bytes as a value may have', 'true', ofLength(10_000), 'passed: the puzzle is solved'],
    ['more bytes', 'true', ofLength(10_004), 'ended: what stands in the place of the solution is none'],
    ['no solution', 'true', 'nonsense', 'ended: what stands in the place of the solution is none'],
    [
      'a puzzle of another secret',
      'true',
      solution('contact', { of: 'another secret' }),
      'ended: the puzzle was not made by this relay with this FORM_TOKEN_SECRET',
    ],
    ['another number', 'true', changed((number) => number + 1), 'ended: the solution is wrong'],
    ['a puzzle of another form', 'true', solution('other'), 'ended: the solution is for another form'],
    [
      'an old puzzle',
      'true',
      solution('contact', { minutes: 0 }),
      'ended: the solution is too old (form_ttl)',
    ],
    [
      'an easy puzzle',
      'true',
      solution('contact', { most: 1_000 }),
      'ended: the solution is for an easier puzzle than the one asked for',
    ],
  ];
  test.each(cases)('%s', async (_, keys, altcha, says) => {
    const send = reportOn(`spam: {proof_of_work: ${keys}}`);
    expect(await send('proof', { altcha })).toBe(says);
  });

  test.each([
    ['what is asked', 'spam: {proof_of_work: true}', hardness.usual, 'solved'],
    ['less', 'spam: {proof_of_work: true}', hardness.usual - 1, 'easy'],
  ])('%s', async (_, keys, most, says) => {
    const said = await reportOn(keys)('proof', { altcha: solution('contact', { most }) });
    expect(said).toBe(
      says === 'solved'
        ? 'passed: the puzzle is solved'
        : 'ended: the solution is for an easier puzzle than the one asked for',
    );
  });

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
  ])('a solution with another %s, %j, is none', async (part, value) => {
    const send = reportOn('spam: {proof_of_work: true}');
    const altcha = encode({ ...decode(solution()), [part]: value });
    expect(await send('proof', { altcha })).toBe('ended: what stands in the place of the solution is none');
  });

  const answers: readonly (readonly [promise: string, token: string, altcha: string, says: string])[] = [
    ['the number', tokenOf(), ` ${digitsOf(tokenOf())} `, 'passed: the question is answered'],
    [
      'another number',
      tokenOf(),
      String(1_000 + ((Number(digitsOf(tokenOf())) + 1) % 9_000)),
      'ended: the solution is wrong',
    ],
    [
      'the number of another form',
      tokenOf('other'),
      digitsOf(tokenOf('other'), 'other'),
      'ended: the puzzle was not made by this relay with this FORM_TOKEN_SECRET',
    ],
    [
      'the number of no form',
      '',
      '1234',
      'ended: the puzzle was not made by this relay with this FORM_TOKEN_SECRET',
    ],
    [
      'the number of a form that is open for as long as it may be',
      tokenOf('contact', 60),
      digitsOf(tokenOf('contact', 60)),
      'passed: the question is answered',
    ],
    [
      'the number of a form that was open for longer',
      tokenOf('contact', 61),
      digitsOf(tokenOf('contact', 61)),
      'ended: the solution is too old (form_ttl)',
    ],
  ];
  test.each(answers)('without a script, %s', async (_, token, altcha, says) => {
    const send = reportOn('spam: {proof_of_work: true, form_ttl: 60m}');
    expect(await send('proof', { altcha, _ts: token })).toBe(says);
  });
});
