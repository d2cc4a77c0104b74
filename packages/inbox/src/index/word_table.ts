/** The words of all entries, in SQLite's full-text search. */

import { wantedWords } from '../words.ts';
import type { Database } from './sqlite.ts';
import { matchOf } from './texts.ts';

/** Rows, one bit each. */
export type Found = Uint8Array;

export const isFound = (found: Found, row: number): boolean =>
  (((found[row >> 3] as number) >> (row & 7)) & 1) === 1;

/** With more words than this, a search for their beginning is faster. */
const mostTerms = 32;
/** The number of searches whose results stay in memory: 125 KB each with a million entries. */
const mostSearches = 32;
/** So many rows at once: their numbers become one text, which should stay small. */
const slice = 262_144;

const schema = `
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (text, content = '', contentless_delete = 1, detail = none,
    tokenize = 'ascii');
  CREATE VIRTUAL TABLE temp.term USING fts5vocab (main, words, instance);
  INSERT INTO words (words, rank) VALUES ('hashsize', 2097152);`;

const statements = (db: Database) => ({
  add: db.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)'),
  remove: db.prepare('DELETE FROM words WHERE rowid = ?'),
  // In one text: a call for each row takes WebAssembly longer than the search.
  find: db.prepare(
    'SELECT group_concat(rowid) AS rows FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ?',
  ),
  term: db.prepare('SELECT term FROM temp.term WHERE term >= ? AND term < ? LIMIT 1'),
});

export class WordTable {
  readonly #sql: ReturnType<typeof statements>;
  /** So that only rows that came later are searched again. */
  readonly #known = new Map<string, { readonly found: Found; readonly count: number }>();

  constructor(db: Database) {
    db.exec(schema);
    this.#sql = statements(db);
  }

  /** @param words Of a row that has none yet. */
  add(row: number, words: string): void {
    this.#sql.add.run([row, words]);
    for (const [match, { count }] of this.#known) if (row < count) this.#known.delete(match);
  }

  /** The row must not be asked for again. */
  remove(row: number): void {
    this.#sql.remove.run([row]);
  }

  /**
   * Rows in which all words occur: none, if what was asked for has no word. `undefined`: nothing is asked for.
   *
   * @param count How many rows there are.
   * @param isExact No word of the search may be the beginning of one. Default: as the search says.
   */
  find(
    search: string | undefined,
    sender: string | undefined,
    count: number,
    isExact?: boolean,
  ): Found | undefined {
    const match = matchOf(search, sender, isExact, (beginning) => this.#termsOf(beginning));
    if (isWordless(search) || isWordless(sender)) return new Uint8Array((count >> 3) + 1);
    if (match === undefined) return undefined;
    const known = this.#known.get(match);
    const found = new Uint8Array((count >> 3) + 1);
    if (known) found.set(known.found);
    // A search for a beginning gathers all rows for each slice.
    const step = match.includes('*') ? count : slice;
    for (let from = known?.count ?? 0; from < count; from += step)
      mark(found, String(this.#sql.find.all([match, from, from + step])[0]?.rows ?? ''));
    this.#known.delete(match);
    this.#known.set(match, { found, count });
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostSearches && oldest !== undefined) this.#known.delete(oldest);
    return found;
  }

  /** Words with a beginning, by name: for beginnings, FTS5 gathers all rows before it gives one, which takes three times as long. */
  #termsOf(beginning: string): readonly string[] | undefined {
    const terms: string[] = [];
    const end = `${beginning}\u{10ffff}`;
    for (let from = beginning; terms.length < mostTerms; ) {
      const [found] = this.#sql.term.all([from, end]);
      if (!found) return terms;
      terms.push(String(found.term));
      // No word holds this character.
      from = `${found.term}\u0001`;
    }
    return undefined;
  }
}

/** Whether it asks for something, such as a sign, that is no word. */
const isWordless = (asked = ''): boolean => asked.trim() !== '' && wantedWords(asked).length === 0;

/** @param rows Such as `1,5,12`. */
function mark(found: Found, rows: string): void {
  for (let at = 0, row = 0; at < rows.length; at += 1, row = 0) {
    for (; at < rows.length; at += 1) {
      const digit = rows.charCodeAt(at) - 48;
      if (digit < 0) break;
      row = row * 10 + digit;
    }
    found[row >> 3] = (found[row >> 3] as number) | (1 << (row & 7));
  }
}
