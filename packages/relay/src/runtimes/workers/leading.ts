import type { Heard } from '../../keeping/watch.ts';
import type { ToWorker } from './calls.ts';
import type { Line } from './line.ts';
import type { Process, Processes } from './process.ts';

/** What only one worker may do, such as to try again what is kept; and what the others learn of it. */
export interface Leading {
  /** It goes to the worker that serves longest, and to another one when that leaves. */
  choose(): void;
  /** What waits, in the leader's words: the others say them, too. */
  waits(leader: number, words: string | undefined): void;
  /** Tells one that has just begun. */
  tellNew(one: Process): void;
  /** What another worker heard of deliveries. */
  hears(form: string, heard: Heard): void;
}

export function createLeading(all: Processes): Leading {
  let leader: Process | undefined;
  let waiting: string | undefined;
  return {
    choose() {
      if (leader && all.get(leader.worker.id) === leader && !leader.isLeaving) return;
      leader = [...all.values()].find(({ isListening, isLeaving }) => isListening && !isLeaving);
      waiting = undefined;
      leader?.line.tell('lead');
    },
    waits(id, words) {
      waiting = words;
      tellOthers(all, id, (line) => line.tell('waiting', words));
    },
    tellNew({ line }) {
      if (waiting !== undefined) line.tell('waiting', waiting);
    },
    hears: (form, heard) => leader?.line.tell('hears', form, heard),
  };
}

/** Tells all that listen but one. */
export function tellOthers(all: Processes, id: number, tell: (line: Line<ToWorker>) => void): void {
  for (const [other, { line, isListening }] of all) if (other !== id && isListening) tell(line);
}
