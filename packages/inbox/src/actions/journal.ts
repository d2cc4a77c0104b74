import { isSetAside, linesOf } from '@form-relay/stored/journal/lines_of';
import type { IndexedEntry } from '../entry_index.ts';

/** What the journal says of a submission that somebody wants to restore. */
export interface Before {
  readonly wasAside: boolean;
  readonly wasRestored: boolean;
  /** Outputs that took or kept it since it was restored. */
  readonly taken: ReadonlySet<number>;
}

export function before({ journal, id }: IndexedEntry): Before {
  const answers = linesOf(journal).flatMap((line) =>
    line.kind === 'submission' && line.id === id ? [line] : [],
  );
  const restored = answers.filter((line) => line.restored);
  const taken = restored
    .flatMap((line) => line.deliveries ?? [])
    .filter(({ result }) => result === 'delivered' || result === 'kept');
  return {
    wasAside: answers.some(isSetAside),
    wasRestored: restored.length > 0,
    taken: new Set(taken.map(({ output }) => output)),
  };
}
