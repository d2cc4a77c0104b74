/** The list files that a config names: words, addresses, domains and networks that speak against a submission. */
import type { SignalWeight } from '../base/doubt.ts';
import type { Path } from '../base/place.ts';
import { type ListFile, listKinds, noLists } from '../schema/lists/list.ts';
import type { NamedList, ReadLists } from './load_lists.ts';
import type { ReadBeside } from './source.ts';

const none: ReadLists = { lists: noLists, warnings: [], findings: [], problems: [] };

interface Guarded {
  readonly spam?: { readonly signals?: ReadonlyMap<string, SignalWeight> | undefined } | undefined;
}

/** Of a config whose keys are fine. */
export const listsNamedIn = (
  config: Guarded & { readonly forms: ReadonlyMap<string, Guarded> },
): readonly NamedList[] => [
  ...listsIn(config, []),
  ...[...config.forms].flatMap(([id, form]) => listsIn(form, ['forms', id])),
];

/** Most forms have none, and a config may have thousands. */
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

/** @param config How problems name the config. */
export const loadLists = async (
  named: readonly NamedList[],
  config: string,
  read: ReadBeside,
): Promise<ReadLists> =>
  named.length === 0 ? none : (await import('./load_lists.ts')).loadLists(named, config, read);
