/** The time that the relay needs to look at a solution, and a bot to find one: `npx tsx lab/bench/proof.ts`. */
import { createHash } from 'node:crypto';
import {
  hardness,
  hashOf,
  makeChallenge,
  solutionFor,
} from '../../packages/relay/src/features/proof/challenge.ts';
import { readSolution } from '../../packages/relay/src/features/proof/solution.ts';
import { createUsedOnce } from '../../packages/relay/src/memory/used_once.ts';
import { contest } from './contest.ts';
import { middle } from './process.ts';

const secret = 'a5'.repeat(32);
const now = Date.UTC(2030, 0, 1);
const puzzle = { nonce: 'bench', expiresAt: now + 7_200_000, most: hardness.usual };
const right = solutionFor(secret, 'contact', puzzle);
const sent = JSON.parse(Buffer.from(right, 'base64').toString());
const encode = (solution: object) => Buffer.from(JSON.stringify(solution)).toString('base64');
const forged = encode({ ...sent, signature: sent.challenge });
const wrong = encode({ ...sent, number: sent.number + 1 });
const malformed = 'x'.repeat(4_000);
const huge = right.repeat(100);

/** Once given back, it can be used again. */
const { use, giveBack } = createUsedOnce();
function count(): string {
  const solved = readSolution(secret, 'contact', right, now);
  if (solved.code !== 'solved' || !use(solved.signature)) throw new Error('it must count');
  giveBack(solved.signature);
  return '';
}

const refused = (payload: string) => () => {
  if (readSolution(secret, 'contact', payload, now).code === 'solved') throw new Error('it must not count');
  return '';
};

contest('A solution, beside one hash such as its sender makes by the ten thousand', {
  'one hash': () => hashOf(sent.salt, sent.number).slice(64),
  'counts, and is given back': count,
  forged: refused(forged),
  wrong: refused(wrong),
  'malformed, 4 KB': refused(malformed),
  'huge, 30 KB': refused(huge),
});

contest('Making a puzzle', {
  'one hash': () => hashOf(sent.salt, sent.number).slice(64),
  'a puzzle': () => makeChallenge(secret, 'contact', puzzle).algorithm.slice(7),
});

/** As a bot would in Node, in milliseconds. */
function solvingMs(most: number, nonce: string): number {
  const { salt, challenge, maxnumber } = makeChallenge(secret, 'contact', { ...puzzle, nonce, most });
  const startedAt = performance.now();
  for (let number = 0; number <= maxnumber; number += 1) {
    if (createHash('sha256').update(`${salt}${number}`).digest('hex') === challenge) break;
  }
  return performance.now() - startedAt;
}

console.log('\nFinding a solution in Node, medians of 25');
console.table(
  Object.fromEntries(
    Object.entries(hardness).map(([name, most]) => {
      const all = Array.from({ length: 25 }, (_, index) => solvingMs(most, `${name} ${index}`));
      return [name, { 'numbers up to': most, ms: middle(all).toFixed(1) }];
    }),
  ),
);
