import type { JournalLine } from '@form-relay/relay/base';
import type { IndexedEntry } from '../entry_index.ts';

/** What the journal says of a submission that somebody wants to restore. */
export interface Before {
  readonly wasAside: boolean;
  readonly wasRestored: boolean;
  /** Outputs that took or kept it since it was restored. */
  readonly taken: ReadonlySet<number>;
}

/** Lines that are none say nothing. */
export function before({ journal, id }: IndexedEntry): Before {
  const lines = journal.flatMap((text) => readLine(text) ?? []).filter((line) => line.id === id);
  const restored = lines.filter((line) => line.kind === 'submission' && line.restored);
  const taken = restored.flatMap((line) =>
    line.kind === 'submission'
      ? (line.deliveries ?? []).filter(({ result }) => result === 'delivered' || result === 'kept')
      : [],
  );
  return {
    wasAside: lines.some((line) => line.kind === 'submission' && line.result === 'aside'),
    wasRestored: restored.length > 0,
    taken: new Set(taken.map(({ output }) => output)),
  };
}

function readLine(text: string): Exclude<JournalLine, { kind: 'stats' }> | undefined {
  try {
    const line = JSON.parse(text);
    return line?.kind === 'submission' || line?.kind === 'delivery' ? line : undefined;
  } catch {
    return undefined;
  }
}
