import type { Book } from './book.ts';
import { flag, stateNumber } from './columns.ts';

/**
 * Rows that the journal calls kept, though no store has them: a kill hid the line of their delivery, or the owner delivered or
 * dropped them by command.
 *
 * @param kept Submissions of which a store has a delivery.
 */
export function unkeptRows(book: Book, kept: ReadonlySet<string>): ReadonlySet<number> {
  const { columns } = book;
  const state = stateNumber('kept');
  const rows = new Set<number>();
  for (let row = 0; row < columns.count; row += 1) {
    const isDead = ((columns.flags[row] as number) & flag.dead) !== 0;
    if (columns.state[row] === state && !isDead && !kept.has(book.idOf(row))) rows.add(row);
  }
  return rows;
}
