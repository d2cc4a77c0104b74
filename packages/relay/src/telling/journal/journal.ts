import { ClientError } from '../../base/client_error.ts';
import type { Effects, Log } from '../../base/effects.ts';
import type { Observer } from '../../base/event.ts';
import type { JournalKey, JournalLine } from '../../base/journal_line.ts';
import { type Journal, type JournalEffects, openJournal } from './open_journal.ts';
import { statsLines } from './stats_lines.ts';
import { submissionLines } from './submission_lines.ts';

type World = JournalEffects & Pick<Effects, 'repeat' | 'removeJournal'>;

export interface JournalKeeper {
  readonly observe: Observer;
  /** Goes on with this key of the config, or without one. */
  start(key: JournalKey | undefined): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 86_400_000;

/** Keeps the journal that the config names, and removes its old files. */
export function keepJournal(effects: World): JournalKeeper {
  let key: JournalKey | undefined;
  let journal: Journal | undefined;
  /** Journals of earlier configs, which write their last lines. */
  const closing = new Set<Promise<void>>();
  let stops: readonly (() => void)[] = [];
  let sweptOn: number | undefined;
  let sweeping: Promise<void> | undefined;

  const sweep = () => {
    const now = effects.now();
    const today = Math.floor(now / dayMs);
    if (key?.in.kind !== 'folder' || sweptOn === today) return;
    sweptOn = today;
    const { path: folder } = key.in;
    sweeping = effects
      .removeJournal({ folder, before: now - key.forMs })
      .catch((error) => tellUnremoved(effects.log, error));
  };
  const write = (line: JournalLine) => journal?.write(line);
  const stats = statsLines(write, effects.now);
  const closeJournal = (): void => {
    if (!journal) return;
    stats.writeAll();
    const ending = journal.close().finally(() => closing.delete(ending));
    closing.add(ending);
    journal = undefined;
  };
  return {
    observe: submissionLines(write, stats.add, effects.now),
    start(next) {
      if (next?.in.name !== key?.in.name) closeJournal();
      if (next?.in.name !== key?.in.name || next?.forMs !== key?.forMs) sweptOn = undefined;
      key = next;
      if (!next) return;
      journal ??= openJournal(next.in, effects);
      if (stops.length === 0)
        stops = [effects.repeat(hourMs, sweep), effects.repeat(minuteMs, stats.writeAll)];
      sweep();
    },
    flush: async () => {
      stats.writeAll();
      await journal?.flush();
    },
    async close() {
      for (const stop of stops) stop();
      closeJournal();
      await Promise.all([...closing, sweeping]);
    },
  };
}

const tellUnremoved = (log: Log, error: unknown) =>
  log('error', 'journal_failed', {
    reason: `old files stay: ${error instanceof ClientError ? error.message : 'internal error'}`,
  });
