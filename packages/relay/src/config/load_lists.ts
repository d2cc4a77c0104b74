import { type Finding, finding, type Path } from '../schema/finding.ts';
import type { ListFile, ListKind, ListOf, Lists } from '../schema/lists/list.ts';
import { readList } from '../schema/lists/read_list.ts';
import type { Problem } from './problem.ts';
import { besideName, type ReadBeside } from './source.ts';

export interface NamedList extends ListFile {
  readonly at: Path;
}

export interface ReadLists {
  readonly lists: Lists;
  readonly warnings: readonly Finding[];
  /** The reasons why the config cannot load: about the config, and in the files. */
  readonly findings: readonly Finding[];
  readonly problems: readonly Problem[];
}

/** Reads each file once, however many forms name it, in sequence, so that only one text is in memory. */
export async function loadLists(
  named: readonly NamedList[],
  config: string,
  read: ReadBeside,
): Promise<ReadLists> {
  const lists = new Map<string, unknown>();
  const findings: Finding[] = [];
  const problems: Problem[] = [];
  const warnings: Finding[] = [];
  const seen = new Set<string>();
  for (const one of named) {
    const { kind, path, at } = one;
    if (seen.has(keyOf(one))) continue;
    seen.add(keyOf(one));
    const text = await read(path);
    if (!text.ok) {
      findings.push(finding('list_unreadable', at, { path, reason: text.error }));
      continue;
    }
    const made = await readList(kind, text.value);
    if (made.ok) {
      if (made.value.entries === 0)
        warnings.push({ ...finding('list_empty', at, { path }), severity: 'warning' });
      lists.set(keyOf(one), made.value.list);
      continue;
    }
    const places = new Map(made.error.map(({ finding, place }) => [finding, place]));
    const placeOf = (one: Finding) => places.get(one) ?? { offset: 0, length: 1 };
    const { locate } = await import('./locate.ts');
    problems.push(...locate(text.value, besideName(config, path), [...places.keys()], placeOf));
  }
  const of: Lists['of'] = <K extends ListKind>(file: ListFile<K>) =>
    lists.get(keyOf(file)) as ListOf[K] | undefined;
  return { lists: { of }, warnings, findings, problems };
}

const keyOf = ({ kind, path }: ListFile) => `${kind} ${path}`;
