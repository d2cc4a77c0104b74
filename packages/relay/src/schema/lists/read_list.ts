import { type Finding, finding } from '../../base/config_finding.ts';
import type { Place } from '../../base/place.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { othersTurn } from '../../base/turns.ts';
import { growAddresses } from './addresses.ts';
import { growDomains } from './domains.ts';
import type { Growing, ListKind, ListOf, Misread } from './list.ts';
import { growNetworks } from './networks.ts';
import { growWords } from './words.ts';

/** A list that was read; or where it is wrong. */
export type ReadList<K extends ListKind> = Result<
  { readonly list: ListOf[K]; readonly entries: number },
  readonly Misplaced[]
>;

export interface Misplaced {
  readonly finding: Finding;
  readonly place: Place;
}

const growing: { readonly [K in ListKind]: () => Growing<K> } = {
  words: growWords,
  addresses: growAddresses,
  domains: growDomains,
  networks: growNetworks,
};

/** A file with more is something else than a list. */
const mostProblems = 100;
/** No address, domain or phrase is longer. */
const longestEntry = 320;
/** Some milliseconds' worth of lines, after which others have their turn. */
const linesAtOnce = 1_000;

/**
 * Reads the lines of a list: one entry each, blank ones and those that begin with `#` left out, and what follows a `#`
 * after a space. A million take seconds, in which requests are answered as ever.
 */
export async function readList<K extends ListKind>(kind: K, text: string): Promise<ReadList<K>> {
  const { add, list } = growing[kind]();
  const problems: Misplaced[] = [];
  let entries = 0;
  let lines = 0;
  for (let start = text.startsWith('\uFEFF') ? 1 : 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    const entry = entryOf(line);
    if (entry !== '') {
      const { finding, offset = 0, length = entry.length } = misreadOf(entry) ?? add(entry) ?? fine;
      if (finding)
        problems.push({ finding, place: { offset: start + line.indexOf(entry) + offset, length } });
      else entries += 1;
    }
    if (problems.length >= mostProblems || problems.at(-1)?.finding.code === 'list_not_text') break;
    start = end + 1;
    lines += 1;
    if (lines % linesAtOnce === 0) await othersTurn();
  }
  return problems.length > 0 ? err(problems) : ok({ list, entries });
}

const fine: Partial<Misread> = {};

/** Without its comment. */
function entryOf(line: string): string {
  const comment = line.includes('#') ? line.search(/(?:^|\s)#/) : -1;
  return (comment < 0 ? line : line.slice(0, comment)).trim();
}

function misreadOf(entry: string): Misread | undefined {
  // As in a file in UTF-16, or in one that was packed.
  const strange = entry.search(/[\0-\x08\x0e-\x1f\x7f\ufffd]/);
  if (strange >= 0) return { finding: finding('list_not_text', []), offset: strange, length: 1 };
  if (entry.length <= longestEntry) return undefined;
  return { finding: finding('list_entry_too_long', [], { most: longestEntry }) };
}
