import { yieldToEventLoop } from '../../base/event_loop.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type Finding, finding, type Place } from '../finding.ts';
import { buildAddresses } from './addresses.ts';
import { buildDomains } from './domains.ts';
import type { ListBuilder, ListKind, ListOf, Misread } from './list.ts';
import { buildNetworks } from './networks.ts';
import { buildModel } from './read_model.ts';
import { buildWords } from './words.ts';

/** A list, or its mistakes. */
export type ReadList<K extends ListKind> = Result<
  { readonly list: ListOf[K]; readonly entries: number },
  readonly Misplaced[]
>;

export interface Misplaced {
  readonly finding: Finding;
  readonly place: Place;
}

const builders: { readonly [K in ListKind]: () => ListBuilder<K> } = {
  words: buildWords,
  addresses: buildAddresses,
  domains: buildDomains,
  networks: buildNetworks,
  model: buildModel,
};

/** A file with more is probably no list. */
const mostProblems = 100;
/** No address, domain or phrase is longer. */
const longestEntry = 320;
/** The lines between yields: a few milliseconds of work. */
const linesAtOnce = 1_000;

/**
 * Reads a list: an entry per line. Skips blank lines, lines that start with `#`, and text after a space and `#`. A
 * million lines take seconds, during which requests are still answered.
 */
export async function readList<K extends ListKind>(kind: K, text: string): Promise<ReadList<K>> {
  const { add, end, list } = builders[kind]();
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
    if (lines % linesAtOnce === 0) await yieldToEventLoop();
  }
  const { finding } = (problems.length === 0 && end?.()) || fine;
  if (finding) problems.push({ finding, place: { offset: 0, length: 1 } });
  return problems.length > 0 ? err(problems) : ok({ list, entries });
}

const fine: Partial<Misread> = {};

/** The line without its comment. */
function entryOf(line: string): string {
  const comment = line.includes('#') ? line.search(/(?:^|\s)#/) : -1;
  return (comment < 0 ? line : line.slice(0, comment)).trim();
}

function misreadOf(entry: string): Misread | undefined {
  // As in UTF-16 or compressed files.
  const strange = entry.search(/[\0-\x08\x0e-\x1f\x7f]/);
  if (strange >= 0) return { finding: finding('list_not_text', []), offset: strange, length: 1 };
  if (entry.length <= longestEntry) return undefined;
  return { finding: finding('list_entry_too_long', [], { most: longestEntry }) };
}
