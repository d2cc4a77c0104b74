import type { Log } from '../../base/effects.ts';
import type { LogEvent } from '../../base/log_event.ts';
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
import type { ToPrimary } from './channel.ts';

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

interface Counting {
  /** The calls of one worker, by its id in node:cluster. */
  for(worker: number): Counts;
  /** The worker ended, and delivers nothing more. */
  gone(worker: number): void;
}

/** The primary's counts for all workers, with the code that a single process counts with. */
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
  /** By link, its outcome or the worker that delivers it. In the order of insertion. */
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
        const { undo: _, ...noted } = textsOf().note(text);
        return noted;
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

/** More lines than a config causes. */
const mostRemembered = 200;

/** Logs once what every worker reports about the config: when one worker has reported it more often than all others. */
export function createLogOnce(log: Log): (worker: number, ...event: Parameters<Log>) => void {
  /** By event, how often it was logged, and how often each worker has reported it. */
  const said = new Map<string, { times: number; readonly by: Map<number, number> }>();
  return (worker, ...event) => {
    const key = JSON.stringify(event);
    const one = said.get(key) ?? { times: 0, by: new Map() };
    said.delete(key);
    said.set(key, one);
    for (const oldest of said.keys()) {
      if (said.size <= mostRemembered) break;
      said.delete(oldest);
    }
    const times = (one.by.get(worker) ?? 0) + 1;
    one.by.set(worker, times);
    if (times <= one.times) return;
    one.times = times;
    log(...event);
  };
}

/** Events about the config, which every worker finds by itself. */
export const isLoggedOnce = (event: LogEvent): boolean =>
  /^(config|folders|weak|variables)_/.test(event) ||
  event === 'origins_unreadable' ||
  event === 'key_unusable' ||
  event === 'keep_sealed';
