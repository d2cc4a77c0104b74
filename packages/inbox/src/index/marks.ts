/** Submissions that somebody marked. */
import type { MarkCounts, MarkedAt } from '../entry_index.ts';
import type { Book } from './book.ts';
import { flag } from './columns.ts';

export function countMarks(book: Book, forms: readonly string[], since: number): MarkCounts {
  const { flags, markedAt } = book.columns;
  const counts = { spam: 0, ham: 0, sealed: 0, newer: 0 };
  for (const { row, mark } of markedRows(book, forms)) {
    if (((flags[row] as number) & flag.sealed) !== 0) {
      counts.sealed += 1;
      continue;
    }
    counts[mark] += 1;
    if ((markedAt[row] as number) > since) counts.newer += 1;
  }
  return counts;
}

export function marked(book: Book, forms: readonly string[]): readonly MarkedAt[] {
  const all: MarkedAt[] = [];
  for (const { row, mark } of markedRows(book, forms)) {
    const at = book.storedAt(row).find(({ path }) => !path.endsWith('.age'));
    if (at) all.push({ ...at, isSpam: mark === 'spam', markedAt: book.columns.markedAt[row] as number });
  }
  return all;
}

function* markedRows(book: Book, forms: readonly string[]) {
  const { columns } = book;
  const chosen = new Set(forms.map((form) => book.forms.indexOf(form)));
  for (let row = 0; row < columns.count; row += 1) {
    const mark = book.markOf(row);
    const isDead = ((columns.flags[row] as number) & flag.dead) !== 0;
    if (mark && !isDead && chosen.has(columns.form[row] as number)) yield { row, mark };
  }
}
