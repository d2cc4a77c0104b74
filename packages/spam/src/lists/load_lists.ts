/** Loads the list files of a config: words, addresses and domains that signal spam, and models. */
import type { Diagnostics, TopContext } from '@form-relay/core/index';
import { isMap } from '@form-relay/schema/schema';
import type { SpamBlock } from '../score/marks.ts';
import {
  type ListFile,
  type ListKind,
  type ListOf,
  type Lists,
  listKinds,
  noLists,
  readList,
} from './read_list.ts';

const isListFile = (value: unknown): value is ListFile =>
  isMap(value) && listKinds.some((kind) => kind === value.kind);

interface Named {
  readonly file: ListFile;
  readonly at: Diagnostics;
}

/** The files that a config names, each once. */
function listsNamedIn(at: Diagnostics, { topSpam, forms }: TopContext): ReadonlyMap<string, Named> {
  const named = new Map<string, Named>();
  const add = ({ signals = new Map() }: SpamBlock, place: Diagnostics) => {
    for (const [signal, { keys }] of signals)
      for (const [key, file] of Object.entries(keys))
        if (isListFile(file) && !named.has(keyOf(file)))
          named.set(keyOf(file), { file, at: place.in('spam', 'signals', signal, key) });
  };
  add(topSpam, at);
  for (const [id, { spam }] of forms) add(spam ?? {}, at.in('forms', id));
  return named;
}

/** Reads the files in sequence, so that only one text is in memory. */
export function loadLists(at: Diagnostics, context: TopContext): Lists | Promise<Lists> {
  const named = listsNamedIn(at, context);
  return named.size === 0 ? noLists : readAll(named, context);
}

async function readAll(
  named: ReadonlyMap<string, Named>,
  { readSibling }: Pick<TopContext, 'readSibling'>,
): Promise<Lists> {
  const lists = new Map<string, unknown>();
  for (const [key, { file, at }] of named) {
    const sibling = await readSibling(file.path);
    if (!sibling.ok) {
      at.error(`${file.path}: ${sibling.error}`, { code: 'list_unreadable' });
      continue;
    }
    const made = await readList(file.kind, sibling.value.text);
    if (made.ok) {
      if (made.value.entries === 0)
        at.warning(`${file.path} has no entries, so it has no effect`, { code: 'list_empty' });
      lists.set(key, made.value.list);
      continue;
    }
    const mistakes = made.error.map((one) => ({ path: [], ...one }));
    await sibling.value.report(mistakes, (mistake) => {
      const { offset = 0, length = 1 } = mistakes.find((one) => one === mistake) ?? {};
      return { offset, length };
    });
  }
  return {
    of: <K extends ListKind>(file: ListFile<K>) => lists.get(keyOf(file)) as ListOf[K] | undefined,
  };
}

const keyOf = ({ kind, path }: ListFile) => `${kind} ${path}`;
