/** ALTCHA's own library checks the relay's puzzles, and the relay its solutions. */
import { createHmac } from 'node:crypto';
import { createChallenge, extractParams, solveChallenge, verifySolution } from 'altcha-lib/v1';
import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';
import { decode, encode, solve } from '../../../test/support/puzzles.ts';
import type { Challenge } from '../src/proof/challenge.ts';

const secret = 'a secret of many characters';
/** The key that follows from the secret. */
const key = createHmac('sha256', secret).update('form-relay proof').digest('hex');

async function staged() {
  const sink = await httpSink();
  const relay = await relayWith({
    config: `forms: {contact: {fields: [{name: name}], spam: {proof_of_work: true}, outputs: [{type: http_post, url: "${sink.origin}", mapping: "*"}]}}`,
    env: { FORM_TOKEN_SECRET: secret },
  });
  const send = async (altcha: string) =>
    (
      await relay.submit('contact', [
        ['name', 'Ann'],
        ['altcha', altcha],
      ])
    ).status;
  return { ...relay, send };
}

/** The library takes seconds for all numbers from `start` on. */
async function solved({ algorithm, challenge, maxnumber, salt, signature }: Challenge, start = 0) {
  const solution = await solveChallenge(challenge, salt, algorithm, maxnumber, start).promise;
  return encode({ algorithm, challenge, salt, signature, number: solution?.number, took: solution?.took });
}

test('the library solves the relay’s puzzles, and the relay takes its solutions', async () => {
  const { get, send } = await staged();
  const challenge = (await get('/api/v1/challenge/contact')).json as Challenge;
  const number = Number(decode(solve(challenge)).number);
  const payload = await solved(challenge, Math.max(0, number - 500));
  expect(extractParams(payload)).toMatchObject({ form: 'contact', max: String(challenge.maxnumber) });
  expect(await verifySolution(payload, key)).toBe(true);
  expect(await verifySolution(payload, secret)).toBe(false);
  expect(await send(payload)).toBe(200);
  expect(await send(payload)).toBe(422);
});

test('the library’s own puzzles, with the relay’s secret for a key, are not the relay’s', async () => {
  const { send } = await staged();
  const own = await createChallenge({
    hmacKey: secret,
    maxnumber: 1_000,
    params: { form: 'contact', expires: '9999999999', max: '100000' },
  });
  const payload = await solved(own as Challenge);
  expect(await verifySolution(payload, secret)).toBe(true);
  expect(await send(payload)).toBe(422);
});
