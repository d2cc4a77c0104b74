/** Loads the list files of a config: words, addresses, domains and networks that signal spam. */
import type { SignalWeight } from '../base/doubt.ts';
import type { Path } from '../schema/finding.ts';
import { type ListFile, listKinds, noLists } from '../schema/lists/list.ts';
import type { NamedList, ReadLists } from './load_lists.ts';
import type { ReadBeside } from './source.ts';

const none: ReadLists = { lists: noLists, warnings: [], findings: [], problems: [] };

interface Guarded {
  readonly spam?: { readonly signals?: ReadonlyMap<string, SignalWeight> | undefined } | undefined;
}

/** The config's keys must be valid. */
export const listsNamedIn = (
  config: Guarded & { readonly forms: ReadonlyMap<string, Guarded> },
): readonly NamedList[] => [
  ...listsIn(config, []),
  ...[...config.forms].flatMap(([id, form]) => listsIn(form, ['forms', id])),
];

/** A fast path: most forms have none, and a config may have thousands. */
function listsIn({ spam }: Guarded, path: Path): readonly NamedList[] {
  if (!spam?.signals) return [];
  return [...spam.signals].flatMap(([signal, { keys }]) =>
    Object.entries(keys).flatMap(([key, value]) =>
      isListFile(value) ? [{ ...value, at: [...path, 'spam', 'signals', signal, key] }] : [],
    ),
  );
}

const isListFile = (value: unknown): value is ListFile =>
  listKinds.includes((value as Partial<ListFile> | null | undefined)?.kind as never);

/** @param config The config's name in problems. */
export const loadLists = async (
  named: readonly NamedList[],
  config: string,
  read: ReadBeside,
): Promise<ReadLists> =>
  named.length === 0 ? none : (await import('./load_lists.ts')).loadLists(named, config, read);
