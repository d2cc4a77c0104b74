import type { Diagnostics, Message, Schema } from '@form-relay/core/index';
import { array } from '@form-relay/schema/collections';
import { shown } from '@form-relay/schema/diagnostics';
import { textSchema } from '@form-relay/schema/scalars';
import { jsonSchemaOf, schema } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { type Group, groups, is, type Kind, kinds, kindsCalled, kindsEnding } from './file_kinds.ts';

export interface Entry {
  readonly kinds: readonly Kind[];
  /** Set for an entry that is an ending. */
  readonly ending?: string;
  readonly words: string | Message;
  /** For the control's `accept` attribute. */
  readonly attribute: readonly string[];
}

const entry = textSchema<Entry>(readEntry, {
  title: 'kind of file',
  type: 'string',
  examples: ['pdf', ...groups, 'docx', 'image/png', '.dwg'],
});
const several = array(entry, { least: 1 });

/** An entry or a list: `pdf`, `image`, `docx`, `.dwg`, `image/png`. */
export const acceptEntries = (): Schema<readonly Entry[]> =>
  schema(
    () => ({ ...jsonSchemaOf(several), title: 'kinds of file', type: ['string', 'array'] }),
    (value, at) => {
      if (Array.isArray(value)) return several(value, at);
      const only = entry(value, at);
      return only && [only];
    },
  );

function readEntry(found: string, at: Diagnostics): Entry | undefined {
  const word = found.trim().toLowerCase();
  const group = groups.find((one) => one === word || (`${one}/*` === word && hasMediaTypes(one)));
  if (group) return ofGroup(group);
  if (word.includes('/')) return ofMediaType(word, found, at);
  const isEnding = word.startsWith('.');
  const ending = isEnding ? word.slice(1) : word;
  const called = isEnding ? undefined : kinds.find(({ name }) => name === word);
  if (called) return ofKinds([called]);
  const having = kindsEnding(ending);
  const harmless = having.filter(({ canHarm, group: of }) => !canHarm || of === 'archive');
  if (harmless.length > 0) return ofKinds(harmless);
  // For harmful kinds, take only what is named: accepting `.js` must not accept `.exe` or `.bat`.
  const isOne = having.length > 0 || (isEnding && /^[a-z0-9][a-z0-9_-]{0,19}$/.test(ending));
  if (isOne) return { kinds: having, ending, words: ending.toUpperCase(), attribute: [`.${ending}`] };
  return at.error(
    `found ${shown(found, at)}; expected a kind of file, such as ${usualNames}, docx, image/png or .dwg${didYouMean(nearest(ending, names))}`,
  );
}

const usualNames = ['pdf', ...groups].join(', ');
const names = [...groups, ...kinds.flatMap(({ name, endings }) => [name, ...endings])];

const hasMediaTypes = (group: Group) => group === 'image' || group === 'audio' || group === 'video';

const ofGroup = (group: Group): Entry => ({
  ...ofKinds(kinds.filter((kind) => kind.group === group)),
  words: { code: `files_${group}` },
  // Phones offer the camera for this.
  ...(hasMediaTypes(group) && { attribute: [`${group}/*`] }),
});

const ofKinds = (accepted: readonly Kind[]): Entry => ({
  kinds: accepted,
  words: accepted.map(({ name }) => name.toUpperCase()).join(', '),
  attribute: accepted.flatMap(({ endings }) => endings.map((ending) => `.${ending}`)),
});

function ofMediaType(type: string, found: string, at: Diagnostics): Entry | undefined {
  const called = kindsCalled(type);
  const exactly = called.filter((kind) => kind.type === type);
  const harmless = called.filter(({ canHarm, group }) => !canHarm || group === 'archive');
  const accepted = exactly.length > 0 ? exactly : harmless;
  if (accepted.length > 0) return { ...ofKinds(accepted), attribute: [type] };
  const endings = called[0]?.endings
    .slice(0, 3)
    .map((ending) => `.${ending}`)
    .join(', ');
  if (endings !== undefined)
    return at.error(
      `found ${shown(found, at)}; it says too little of what can do harm: write the endings that you want, such as ${endings}`,
    );
  const types = kinds.map((kind) => kind.type);
  return at.error(
    `found ${shown(found, at)}; its first bytes are not known here: write the ending of its names instead, such as .dwg${didYouMean(nearest(type, types))}`,
  );
}

/** Whether the entries accept such a file. `kind`: `undefined` if the bytes indicate none. */
export const accepts = (entries: readonly Entry[], kind: Kind | undefined, ending: string): boolean =>
  entries.some((entry) =>
    entry.ending === undefined
      ? kind !== undefined && entry.kinds.includes(kind)
      : entry.ending === ending && (isCarrier(kind) || (kind !== undefined && entry.kinds.includes(kind))),
  );

/** Containers of other formats: unknown bytes, text, or a zip. */
const isCarrier = (kind: Kind | undefined) =>
  kind === undefined || kind.group === 'text' || kind === is.zip || kind === is.gzip || kind === is.xml;
