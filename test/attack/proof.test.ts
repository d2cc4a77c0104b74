/** Only a solution of this relay's puzzle, for this form, counts as proof, and only once. */
import { createHash, createHmac } from 'node:crypto';
import type { Challenge } from '../../packages/spam/src/proof/challenge.ts';
import { httpSink, relayWith } from '../support/index.ts';
import { decode, encode, solve } from '../support/puzzles.ts';

const secret = 'a secret of many characters';

async function staged(spam = '{proof_of_work: true}', env: Record<string, string> = {}) {
  const sink = await httpSink();
  const form = `{fields: [{name: name}], spam: ${spam}, outputs: [{type: http_post, url: "${sink.origin}", mapping: "*"}]}`;
  const relay = await relayWith({
    config: `forms: {contact: ${form}, other: ${form}, "contact&expires=9999999999": ${form}}`,
    env: { FORM_TOKEN_SECRET: secret, ...env },
  });
  const puzzle = async (form = 'contact') =>
    (await relay.get(`/api/v1/challenge/${encodeURIComponent(form)}`)).json as Challenge;
  /** Whether the submission was delivered, and its answer. */
  const send = async (altcha: string, to = 'contact', more: [string, string][] = []) => {
    const before = sink.requests.length;
    const { status } = await relay.submit(to, [['name', 'Ann'], ['altcha', altcha], ...more]);
    return [status, sink.requests.length - before] as const;
  };
  const why = () => relay.logged.findLast(({ event }) => event === 'submission')?.reason;
  return { ...relay, sink, puzzle, send, why };
}

const delivered = [200, 1];
const comesBack = [422, 0];

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex');

/** Forgeries of a genuine solution. */
const forgeries: Record<string, (genuine: string, sent: Readonly<Record<string, unknown>>) => string> = {
  'of nothing': () => encode({}),
  'of a puzzle of one’s own': (_, sent) =>
    encode({ ...sent, salt: 'a&', number: 1, challenge: hash('a&1'), signature: hmac('', hash('a&1')) }),
  'signed with the name of the variable': (_, sent) =>
    encode({ ...sent, signature: hmac('FORM_TOKEN_SECRET', String(sent.challenge)) }),
  'with a signature that is a list': (_, sent) => encode({ ...sent, signature: [sent.signature] }),
  'with another number': (_, sent) => encode({ ...sent, number: Number(sent.number) + 1 }),
  'with a negative number': (_, sent) => encode({ ...sent, number: -Number(sent.number) }),
  'with digits of the number in the salt': (_, sent) => {
    const digits = String(sent.number);
    return encode({ ...sent, salt: `${sent.salt}${digits.slice(0, -1)}`, number: Number(digits.slice(-1)) });
  },
  'that lasts longer': (_, sent) =>
    encode({ ...sent, salt: String(sent.salt).replace(/expires=\d+/, 'expires=9999999999') }),
  'of a smaller puzzle': (_, sent) =>
    encode({ ...sent, salt: String(sent.salt).replace(/max=\d+/, 'max=1') }),
  'with another algorithm': (_, sent) => encode({ ...sent, algorithm: 'SHA-1' }),
  'in ALTCHA’s second version': (_, sent) =>
    encode({
      challenge: { parameters: sent, signature: sent.signature },
      solution: { counter: sent.number },
    }),
  'with a prototype': (_, sent) =>
    Buffer.from(JSON.stringify(sent).replace('{', '{"__proto__":{"number":1},"number":null,'))
      .toString('base64')
      .slice(0, -4),
  'of deep JSON': () => Buffer.from('['.repeat(3_000)).toString('base64'),
  'that is huge': (genuine) => genuine.repeat(30),
};

test.each(Object.keys(forgeries))('a solution %s brings the form back', async (what) => {
  const { puzzle, send } = await staged();
  let genuine = solve(await puzzle());
  // With one digit, nothing can be shifted; and zero has no negative.
  while (Number(decode(genuine).number) < 10) genuine = solve(await puzzle());
  const forged = forgeries[what]?.(genuine, decode(genuine)) ?? '';
  expect(forged).not.toBe(genuine);
  expect(await send(forged)).toEqual(comesBack);
  expect(await send(genuine)).toEqual(delivered);
});

test('if many clients send the same solution at once, one gets through', async () => {
  const { puzzle, send, sink } = await staged();
  const solution = solve(await puzzle());
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(solution)));
  expect(answers.map(([status]) => status).toSorted()).toEqual([200, ...Array(49).fill(422)]);
  expect(sink.requests).toHaveLength(1);
});

test('a solution is valid until form_ttl; setting the clock back allows no second use', async () => {
  const { puzzle, send, advance, why } = await staged('{proof_of_work: true, form_ttl: 10m}');
  const [early, late] = [solve(await puzzle()), solve(await puzzle())];
  advance(590_000);
  expect(await send(early)).toEqual(delivered);
  advance(20_000);
  expect(await send(late)).toEqual(comesBack);
  expect(why()).toBe('the solution is too old (form_ttl)');
  // A day ahead, many others are used; then the clock is corrected.
  advance(86_400_000);
  expect(await send(solve(await puzzle()))).toEqual(delivered);
  advance(-86_400_000 - 600_000);
  expect(await send(early)).toEqual(comesBack);
  expect(why()).toBe('the solution was already used');
  expect(await send(late)).toEqual(delivered);
});
