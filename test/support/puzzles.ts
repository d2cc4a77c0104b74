/** What a visitor's browser does with a puzzle. */
import { createHash } from 'node:crypto';
import type { Challenge } from '../../src/checks/challenge.ts';

/** Tries one number after the other, as a browser has to. */
export function solve(challenge: Challenge): string {
  const { maxnumber, ...rest } = challenge;
  for (let number = 0; number <= maxnumber; number += 1) {
    const hash = createHash('sha256').update(`${challenge.salt}${number}`).digest('hex');
    if (hash === challenge.challenge) return encode({ ...rest, number, took: 1 });
  }
  throw new Error('the puzzle has no solution');
}

export const encode = (solution: object): string => Buffer.from(JSON.stringify(solution)).toString('base64');

export const decode = (payload: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(payload, 'base64').toString());
