/** The words of entries that were opened, in memory. */
import { endsWithAddress, wantedWords, wordsOf } from '../../src/words.ts';

/** A line of the list, once it was opened. */
export interface SealedRow {
  readonly id: string;
  readonly form: string;
  readonly receivedAt: number;
  readonly sender: string;
  readonly summary: string;
  readonly files: number;
}

export interface IndexedRow extends SealedRow {
  readonly words: readonly string[];
}

const mostWordsAnEntry = 2_000;

/** Each word once, up to a limit. */
export function distinctWords(texts: readonly string[]): string[] {
  const words = new Set<string>();
  for (const text of texts)
    for (const word of wordsOf(text)) {
      if (words.size >= mostWordsAnEntry) return [...words];
      words.add(word);
    }
  return [...words];
}

export function createSealedIndex() {
  const rows: (SealedRow | undefined)[] = [];
  const numbers = new Map<string, number>();
  const postings = new Map<string, number[]>();
  let sorted: string[] | undefined;

  /** The numbers of entries with a word that begins with `start`. */
  function* beginning(start: string): Generator<readonly number[]> {
    sorted ??= [...postings.keys()].sort();
    for (let at = firstFrom(sorted, start); sorted[at]?.startsWith(start); at += 1)
      yield postings.get(sorted[at] ?? '') ?? [];
  }

  return {
    has: (id: string) => numbers.has(id),
    ids: () => numbers.keys(),
    row(id: string): SealedRow | undefined {
      const number = numbers.get(id);
      return number === undefined ? undefined : rows[number];
    },
    add({ words, ...row }: IndexedRow): void {
      if (numbers.has(row.id)) return;
      const number = rows.push(row) - 1;
      numbers.set(row.id, number);
      for (const word of words) {
        const posting = postings.get(word);
        if (posting) posting.push(number);
        else {
          postings.set(word, [number]);
          sorted = undefined;
        }
      }
    },
    remove(id: string): void {
      const number = numbers.get(id);
      if (number === undefined) return;
      rows[number] = undefined;
      numbers.delete(id);
    },
    /** The newest first. */
    search(search: string): string[] {
      const exact = endsWithAddress(search) ? found(search, true) : [];
      return exact.length > 0 ? exact : found(search);
    },
  };

  function found(search: string, isExact?: boolean): string[] {
    const wanted = wantedWords(search, isExact);
    if (wanted.length === 0 && search.trim() !== '') return [];
    const met = new Uint16Array(rows.length);
    for (const [nth, { word, also = word, isPrefix }] of wanted.entries())
      for (const posting of [
        ...(isPrefix ? beginning(word) : [postings.get(word) ?? []]),
        postings.get(also) ?? [],
      ])
        for (const number of posting) if (met[number] === nth) met[number] = nth + 1;
    return rows
      .filter((row, number): row is SealedRow => row !== undefined && met[number] === wanted.length)
      .sort((a, b) => b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id);
  }
}

function firstFrom(sorted: readonly string[], start: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
