import type { PageCounts } from '../../base/event.ts';
import type { JournalLine } from '../../base/journal_line.ts';

const minuteMs = 60_000;

/** Adds up what happened on pages, and writes a line for each form where something did. */
export function statsLines(write: (line: JournalLine) => void, now: () => number) {
  const byForm = new Map<string, PageCounts>();
  return {
    add(form: string, { views, starts, sends, steps }: PageCounts): void {
      const sum = byForm.get(form);
      byForm.set(form, {
        views: views + (sum?.views ?? 0),
        starts: starts + (sum?.starts ?? 0),
        sends: sends + (sum?.sends ?? 0),
        steps: steps.map((begun, index) => begun + (sum?.steps[index] ?? 0)),
      });
    },
    writeAll(): void {
      // No finer: a single person's visit could be told from it.
      const at = new Date(now() - (now() % minuteMs)).toISOString();
      for (const [form, { steps, ...counts }] of byForm)
        write({ kind: 'stats', at, form, ...counts, ...(steps.length > 0 && { steps }) });
      byForm.clear();
    },
  };
}
