/** A form with `proof_of_work` hands out puzzles and accepts their solutions. A missing solution drops no submission. */

import { createHmac } from 'node:crypto';
import { createChallenge, extractParams, solveChallenge, verifySolution } from 'altcha-lib/v1';
import { httpSink, relayWith, tempFolder } from '../../../test/support/index.ts';
import { decode, encode, solve } from '../../../test/support/puzzles.ts';
import { openNewsletter } from '../../visitor-mails/test/mails/newsletter.ts';
import { type Challenge, hardness } from '../src/proof/challenge.ts';

const env = { FORM_TOKEN_SECRET: 'a secret of many characters' };

interface Options {
  /** Keys of the forms. */
  readonly more?: string;
  /** Keys at the top of the config. */
  readonly top?: string;
  readonly env?: object;
}

async function staged(spam: string, { more = '', top = '', env: given = env }: Options = {}) {
  let status = 200;
  const sink = await httpSink({ answer: () => ({ status }) });
  const outputs = `outputs: [{type: http_post, url: "${sink.origin}", mapping: "*"}]`;
  const form = `{fields: [{name: name, required: true}], spam: ${spam}, ${outputs}, ${more}}`;
  const relay = await relayWith({
    config: `${top}\nforms: {contact: ${form}, other: ${form}}`,
    env: { ...given },
  });
  const send = (
    values: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
    to = 'contact',
  ) => relay.submit(to, Object.entries({ name: 'Ann', ...values }), headers);
  const puzzle = async (name = 'contact') => (await relay.get(`/api/v1/challenge/${name}`)).json as Challenge;
  const outputAnswers = (next: number) => {
    status = next;
  };
  return { ...relay, sink, send, puzzle, outputAnswers };
}

const asProblem = { accept: 'application/problem+json' };

interface Problem {
  readonly code: string;
  readonly error: string;
  readonly challenge: Challenge;
  readonly proof_field: string;
  readonly token: {
    readonly name: string;
    readonly value: string;
    readonly challenge?: Challenge;
    readonly proof_field?: string;
  };
}

test('GET /api/v1/challenge/{form}: returns a puzzle in ALTCHA’s format, which the relay does not store', async () => {
  const { get } = await staged('{proof_of_work: true, form_ttl: 10m}');
  const answer = await get('/api/v1/challenge/contact');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const { salt, ...rest } = answer.json as Challenge;
  expect(rest).toEqual({
    algorithm: 'SHA-256',
    challenge: expect.stringMatching(/^[0-9a-f]{64}$/),
    maxnumber: hardness.usual,
    signature: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const parameters = new URLSearchParams(salt.replace(/^[0-9a-f]{24}\?/, ''));
  expect(parameters.get('form')).toBe('contact');
  expect(Number(parameters.get('expires'))).toBeCloseTo(Date.now() / 1_000 + 600, -1);
  expect(salt.endsWith('&')).toBe(true);
});

test('GET /api/v1/challenge/{form}: returns 404 for a form without puzzles, 500 without a secret, and 405 for other methods', async () => {
  const { get } = await staged('{honeypot: website}');
  expect((await get('/api/v1/challenge/contact')).status).toBe(404);
  expect((await get('/api/v1/challenge/nobody')).status).toBe(404);
  const asking = await staged('{proof_of_work: true}');
  await asking.get('/api/v1/form/contact');
  const post = await asking.request('/api/v1/challenge/contact', { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  const bare = await staged('{proof_of_work: true}', { env: {} });
  expect((await bare.get('/api/v1/challenge/contact')).status).toBe(500);
});

test('a solution delivers one submission, and is not delivered itself', async () => {
  const { sink, puzzle, send } = await staged('{proof_of_work: true}');
  const altcha = solve(await puzzle());
  expect((await send({ altcha })).status).toBe(200);
  expect((await send({ altcha })).status).toBe(422);
  expect(sink.requests.map(({ body }) => body)).toEqual(['name=Ann']);
});

test('without a solution, a program is sent a puzzle, and succeeds with its solution', async () => {
  const { send, sink } = await staged('{proof_of_work: true}');
  const answer = await send({});
  expect(answer.status).toBe(422);
  const { challenge, proof_field, ...rest } = answer.json as Problem;
  expect(rest).toEqual({ error: expect.any(String) });
  expect(challenge.maxnumber).toBe(hardness.usual);
  expect((await send({ [proof_field]: solve(challenge) })).status).toBe(200);
  const problem = (await send({}, asProblem)).json as Problem;
  expect(problem).toMatchObject({ code: 'challenge_proof', token: { name: '_ts', proof_field: 'altcha' } });
  expect(problem.token.challenge?.maxnumber).toBe(hardness.usual);
  expect(sink.requests).toHaveLength(1);
});

test('a submission that failed for another reason may be sent again with the same solution', async () => {
  const { send, puzzle, sink } = await staged('{proof_of_work: true}');
  const altcha = solve(await puzzle());
  expect((await send({ altcha, name: '' })).status).toBe(422);
  expect((await send({ altcha })).status).toBe(200);
  expect(sink.requests).toHaveLength(1);
});

test('without FORM_TOKEN_SECRET it fails closed, and is not ready', async () => {
  const { get, send, logged, sink } = await staged('{proof_of_work: true}', { env: {} });
  expect((await get('/api/v1/form/contact')).status).toBe(500);
  expect((await get('/api/v1/token/contact')).status).toBe(500);
  expect((await send({})).status).toBe(500);
  expect(sink.requests).toHaveLength(0);
  expect(logged.filter(({ event }) => event === 'variables_missing')).toEqual([
    expect.objectContaining({
      variables: ['FORM_TOKEN_SECRET'],
      places: [
        'forms.contact.spam.proof_of_work needs FORM_TOKEN_SECRET',
        'forms.other.spam.proof_of_work needs FORM_TOKEN_SECRET',
      ],
    }),
  ]);
  expect((await get('/readyz')).status).toBe(503);
});

test('a challenged sender solves a harder puzzle, and a solution of the usual one is not enough', async () => {
  const { send, puzzle, sink } = await staged(
    '{proof_of_work: true, doubt: {challenge: 5}, signals: {links: 20}}',
  );
  const sent = { name: 'https://a.example https://b.example https://c.example' };
  const first = (await send({ ...sent, altcha: solve(await puzzle()) }, asProblem)).json as Problem;
  const hard = first.token.challenge;
  expect(hard?.maxnumber).toBe(hardness.challenged);
  expect((await send({ ...sent, altcha: solve(hard as Challenge) })).status).toBe(200);
  expect(sink.requests).toHaveLength(1);
});

test('the log about a solution', async () => {
  const { send, puzzle, logged } = await staged('{proof_of_work: true}');
  const altcha = solve(await puzzle());
  for (const solution of [altcha, altcha, 'nonsense', '']) await send({ altcha: solution });
  const lines = logged.filter(({ event }) => event === 'submission');
  expect(lines.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['delivered', undefined],
    ['challenged', 'the solution was already used'],
    ['challenged', 'the solution is malformed'],
    ['challenged', 'there is no solution: the form was sent without its script'],
  ]);
});

test('a submission that waits for confirmation uses its solution up, and confirming requires no other', async () => {
  const news = await openNewsletter({ formKeys: 'spam: {proof_of_work: true}' });
  expect((await news.subscribe()).status).toBe(422);
  const altcha = solve((await news.get('/api/v1/challenge/news')).json as Challenge);
  expect((await news.subscribe({ altcha })).status).toBe(200);
  expect((await news.subscribe({ altcha, email: 'eve@visitor.example' })).status).toBe(422);
  expect(news.smtp.mails).toHaveLength(1);
  expect((await news.confirm()).status).toBe(200);
  expect(news.list.requests).toHaveLength(1);
  expect(news.list.requests[0]?.body).not.toContain('altcha');
});

test('a submission that is queued after a failed output uses its solution up', async () => {
  const folder = tempFolder();
  const { send, puzzle, outputAnswers } = await staged('{proof_of_work: true}', {
    top: `keep: {in: ${folder}}`,
    more: 'keep: failed',
  });
  outputAnswers(503);
  const altcha = solve(await puzzle());
  expect((await send({ altcha })).status).toBe(200);
  expect((await send({ altcha })).status).toBe(422);
});

test('a step is checked without a solution, which the whole form still requires', async () => {
  const { post, puzzle, send } = await staged('{proof_of_work: true}');
  const altcha = solve(await puzzle());
  const check = (body: string) => post('/api/v1/check/contact', body);
  expect((await check('name=Ann')).status).toBe(204);
  expect((await check(`name=Ann&altcha=${encodeURIComponent(altcha)}`)).status).toBe(204);
  expect((await send({ altcha })).status).toBe(200);
});

/** ALTCHA's own library checks the relay's puzzles, and the relay checks the library's solutions. */

const secret = 'a secret of many characters';
/** The key derived from the secret. */
const key = createHmac('sha256', secret).update('form-relay proof').digest('hex');

/** Starts at `start`, because the library takes seconds to try all numbers. */
async function solved({ algorithm, challenge, maxnumber, salt, signature }: Challenge, start = 0) {
  const solution = await solveChallenge(challenge, salt, algorithm, maxnumber, start).promise;
  return encode({ algorithm, challenge, salt, signature, number: solution?.number, took: solution?.took });
}

test('the library solves the relay’s puzzles, and the relay accepts its solutions', async () => {
  const { get, send } = await staged('{proof_of_work: true}');
  const challenge = (await get('/api/v1/challenge/contact')).json as Challenge;
  const number = Number(decode(solve(challenge)).number);
  const payload = await solved(challenge, Math.max(0, number - 500));
  expect(extractParams(payload)).toMatchObject({ form: 'contact', max: String(challenge.maxnumber) });
  expect(await verifySolution(payload, key)).toBe(true);
  expect(await verifySolution(payload, secret)).toBe(false);
  expect((await send({ altcha: payload })).status).toBe(200);
  expect((await send({ altcha: payload })).status).toBe(422);
});

test('the library’s own puzzles, made with the relay’s secret as the key, are rejected', async () => {
  const { send } = await staged('{proof_of_work: true}');
  const own = await createChallenge({
    hmacKey: secret,
    maxnumber: 1_000,
    params: { form: 'contact', expires: '9999999999', max: '100000' },
  });
  const payload = await solved(own as Challenge);
  expect(await verifySolution(payload, secret)).toBe(true);
  expect((await send({ altcha: payload })).status).toBe(422);
});
