/** What the primary counts for all its workers: exactly what one process counts for itself, in the same code. */

import type { Outcome } from '../../base/outcome.ts';
import {
  createMailLimits,
  type OwnMailLimits,
  type Reached,
} from '../../features/visitor_mails/mail_limits.ts';
import { isTaken, mostConfirmed } from '../../memory/confirmed.ts';
import { createRates, type OwnRates } from '../../memory/rates.ts';
import { createTexts, type OwnTexts } from '../../memory/texts.ts';
import { createUsedOnce, type OwnUsedOnce } from '../../memory/used_once.ts';
import type { ToPrimary } from './calls.ts';

type Counts = Pick<
  ToPrimary,
  | 'take'
  | 'giveBack'
  | 'useProof'
  | 'giveProofBack'
  | 'noteText'
  | 'forgetText'
  | 'takeMail'
  | 'giveMailBack'
  | 'beginConfirmed'
  | 'endConfirmed'
>;

export interface Counting {
  /** What it answers one worker, by a number that no other has. */
  for(worker: number): Counts;
  /** That worker ended, and delivers nothing more. */
  gone(worker: number): void;
}

export function createCounting(world: { now(): number; uuid(): string }): Counting {
  let rates: OwnRates | undefined;
  let proofs: OwnUsedOnce | undefined;
  let texts: OwnTexts | undefined;
  let mails: OwnMailLimits | undefined;
  let reached: Reached | undefined;
  const ratesOf = () => (rates ??= createRates(world.now));
  const proofsOf = () => (proofs ??= createUsedOnce());
  const textsOf = () => (texts ??= createTexts());
  const mailsOf = () =>
    (mails ??= createMailLimits(world, (told) => {
      reached = told;
    }));
  /** By the link, how it ended, or who delivers it. The latest last. */
  const confirmed = new Map<string, Outcome | number>();

  return {
    for: (worker) => ({
      take: (key, limit) => {
        const taken = ratesOf().take(key, limit);
        return 'at' in taken ? { at: taken.at } : taken;
      },
      giveBack: (key, at) => ratesOf().giveBack(key, at),
      useProof: (key) => proofsOf().use(key),
      giveProofBack: (key) => proofsOf().giveBack(key),
      noteText: (text) => {
        const noted = textsOf().note(text);
        return noted && { number: noted.number, similar: noted.similar };
      },
      forgetText: (number) => textsOf().forget(number),
      takeMail: (mail) => {
        reached = undefined;
        const limit = mailsOf().take(mail);
        return { limit, reached };
      },
      giveMailBack: (mail) => mailsOf().giveBack(mail),
      beginConfirmed: (key) => {
        const known = confirmed.get(key);
        if (typeof known === 'object') return { outcome: known };
        if (known !== undefined && known !== worker) return {};
        confirmed.set(key, worker);
        for (const oldest of confirmed.keys()) {
          if (confirmed.size <= mostConfirmed) break;
          confirmed.delete(oldest);
        }
        return { isFirst: true };
      },
      endConfirmed: (key, outcome) => {
        if (outcome && isTaken(outcome)) confirmed.set(key, outcome);
        else confirmed.delete(key);
      },
    }),
    gone: (worker) => {
      for (const [key, known] of confirmed) if (known === worker) confirmed.delete(key);
    },
  };
}
