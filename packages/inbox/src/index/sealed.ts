import type { Forms } from '../entry_index.ts';
import type { Book } from './book.ts';
import { choose } from './choose.ts';
import { flag } from './columns.ts';

/** Sealed entries, oldest first, for the page that opens them. @param after The `next` of an earlier call. */
export function sealedAfter(book: Book, after: string | undefined, count: number, forms: Forms) {
  const { columns, forms: names } = book;
  const view = choose(book, {}, forms)
    .filter((row) => ((columns.flags[row] as number) & flag.sealed) !== 0)
    .reverse();
  const [at = 0, low = 0] = after?.split('-').map(Number) ?? [];
  const isAfter = (row: number) =>
    after === undefined || (columns.at[row] as number) > at || (columns.at[row] === at && row > low);
  const start = view.findIndex(isAfter);
  const rows = start === -1 ? [] : [...view.subarray(start, start + count)];
  const last = rows.at(-1);
  return {
    entries: rows.map((row) => ({
      id: book.idOf(row),
      form: names[columns.form[row] as number] ?? '',
      receivedAt: columns.at[row] as number,
    })),
    ...(last !== undefined && start + count < view.length && { next: `${columns.at[last]}-${last}` }),
    total: view.length,
  };
}
