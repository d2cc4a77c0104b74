/** Which entries a query means. */
import { type Query, states } from '../api.ts';
import type { Forms } from '../entry_index.ts';
import { endsWithAddress } from '../words.ts';
import type { Book } from './book.ts';
import { flag } from './columns.ts';
import { isFound } from './word_table.ts';

/** Rows, the newest first. An address means itself, or while nothing has it, all that begin so. */
export function choose(book: Book, query: Query, forms: Forms): Uint32Array {
  const exact = endsWithAddress(query.search) ? chosen(book, query, forms, true) : undefined;
  return exact && exact.length > 0 ? exact : chosen(book, query, forms);
}

function chosen(book: Book, query: Query, forms: Forms, isExact?: boolean): Uint32Array {
  const { columns } = book;
  const order = columns.order();
  const { since = -Infinity, until = Infinity, state, form, output, unread, mark } = query;
  const found = book.search(query.search, query.sender, isExact);
  const alike = query.alike === undefined ? undefined : new Set(book.alike(query.alike));
  const isForm = Uint8Array.from(book.forms, (one) =>
    (form === undefined || one === form) && (!forms || forms.has(one)) ? 1 : 0,
  );
  const wantedState = state === undefined || state === 'doubted' ? -1 : states.indexOf(state);
  const needed = state === 'doubted' ? flag.doubted : 0;
  const refused = flag.dead | (unread ? flag.read : 0);
  const known = output === undefined ? -1 : book.outputs.indexOf(output);
  const bit = output === undefined ? 0 : known === -1 ? -1 : book.outputBit(output);
  const wantedMark = mark === undefined ? -1 : mark === 'spam' ? 1 : 2;
  const rows = new Uint32Array(order.length);
  let count = 0;
  if (bit === -1 && known === -1) return rows.subarray(0, 0);
  for (let nth = order.length - 1; nth >= 0; nth -= 1) {
    const row = order[nth] as number;
    if (found && !isFound(found, row)) continue;
    if (alike && !alike.has(row)) continue;
    const flags = columns.flags[row] as number;
    if ((flags & refused) !== 0 || (flags & needed) !== needed) continue;
    if (isForm[columns.form[row] as number] !== 1) continue;
    const at = columns.at[row] as number;
    if (at < since || at >= until) continue;
    if (wantedState !== -1 && columns.state[row] !== wantedState) continue;
    if (wantedMark !== -1 && columns.mark[row] !== wantedMark) continue;
    if (bit !== 0 && ((columns.outputs[row] as number) & bit) === 0) continue;
    rows[count++] = row;
  }
  return rows.slice(0, count);
}
