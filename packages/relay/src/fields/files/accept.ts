import * as v from 'valibot';
import { err, ok, type Result } from '../../base/result.ts';
import type { Message } from '../../messages/message.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { read, wrong } from '../../schema/issue.ts';
import { list } from '../../schema/kinds.ts';
import { nearest } from '../../schema/suggestion.ts';
import { type Group, groups, is, type Kind, kinds, kindsCalled, kindsEnding } from './file_kinds.ts';

export interface Entry {
  readonly kinds: readonly Kind[];
  /** Set for an entry that is an ending. */
  readonly ending?: string;
  readonly words: string | Message;
  /** For the control's `accept` attribute. */
  readonly attribute: readonly string[];
}

/** An entry or a list: `pdf`, `image`, `docx`, `.dwg`, `image/png`. */
export function acceptEntries(): Schema<readonly Entry[]> {
  const entry: Schema<Entry> = v.pipe(
    v.string(wrong('not_text')),
    read(readEntry),
    v.metadata({
      jsonSchema: {
        title: 'kind of file',
        type: 'string',
        examples: ['pdf', ...groups, 'docx', 'image/png', '.dwg'],
        errorMessage: 'Expected a kind of file, such as pdf, image, image/png or .dwg.',
      },
    }),
  );
  const several = list(entry, { least: 1 });
  const one = v.pipe(
    entry,
    v.transform((only): readonly Entry[] => [only]),
  );
  return v.pipe(
    v.lazy((input): Schema<readonly Entry[]> => (Array.isArray(input) ? several : one)),
    v.metadata({
      jsonSchema: {
        title: 'kinds of file',
        type: ['string', 'array'],
        items: { type: 'string' },
        minItems: 1,
      },
    }),
  );
}

function readEntry(found: string): Result<Entry, Finding> {
  const word = found.trim().toLowerCase();
  const group = groups.find((one) => one === word || (`${one}/*` === word && hasMediaTypes(one)));
  if (group) return ok(ofGroup(group));
  if (word.includes('/')) return ofMediaType(word, found);
  const isEnding = word.startsWith('.');
  const ending = isEnding ? word.slice(1) : word;
  const called = isEnding ? undefined : kinds.find(({ name }) => name === word);
  if (called) return ok(ofKinds([called]));
  const having = kindsEnding(ending);
  const harmless = having.filter(({ canHarm, group: of }) => !canHarm || of === 'archive');
  if (harmless.length > 0) return ok(ofKinds(harmless));
  // For harmful kinds, take only what is named: accepting `.js` must not accept `.exe` or `.bat`.
  const isOne = having.length > 0 || (isEnding && /^[a-z0-9][a-z0-9_-]{0,19}$/.test(ending));
  return isOne
    ? ok({ kinds: having, ending, words: ending.toUpperCase(), attribute: [`.${ending}`] })
    : err(finding('not_a_kind_of_file', [], { found, near: nearest(ending, names), names: usualNames }));
}

const usualNames = ['pdf', ...groups];
const names = [...groups, ...kinds.flatMap(({ name, endings }) => [name, ...endings])];

const hasMediaTypes = (group: Group) => group === 'image' || group === 'audio' || group === 'video';

const ofGroup = (group: Group): Entry => ({
  ...ofKinds(kinds.filter((kind) => kind.group === group)),
  words: { code: `files_${group}` },
  // Phones offer the camera for this.
  ...(hasMediaTypes(group) && { attribute: [`${group}/*`] }),
});

const ofKinds = (taken: readonly Kind[]): Entry => ({
  kinds: taken,
  words: taken.map(({ name }) => name.toUpperCase()).join(', '),
  attribute: taken.flatMap(({ endings }) => endings.map((ending) => `.${ending}`)),
});

function ofMediaType(type: string, found: string): Result<Entry, Finding> {
  const called = kindsCalled(type);
  const exactly = called.filter((kind) => kind.type === type);
  const harmless = called.filter(({ canHarm, group }) => !canHarm || group === 'archive');
  const taken = exactly.length > 0 ? exactly : harmless;
  if (taken.length > 0) return ok({ ...ofKinds(taken), attribute: [type] });
  const types = kinds.map((kind) => kind.type);
  return err(
    called.length > 0
      ? finding('media_type_of_many', [], { found, endings: called[0]?.endings.slice(0, 3) ?? [] })
      : finding('media_type_unknown', [], { found, near: nearest(type, types) }),
  );
}

/** Whether the entries accept such a file. `kind`: `undefined` if the bytes indicate none. */
export const takes = (entries: readonly Entry[], kind: Kind | undefined, ending: string): boolean =>
  entries.some((entry) =>
    entry.ending === undefined
      ? kind !== undefined && entry.kinds.includes(kind)
      : entry.ending === ending && (isCarrier(kind) || (kind !== undefined && entry.kinds.includes(kind))),
  );

/** Containers of other formats: unknown bytes, text, or a zip. */
const isCarrier = (kind: Kind | undefined) =>
  kind === undefined || kind.group === 'text' || kind === is.zip || kind === is.gzip || kind === is.xml;
