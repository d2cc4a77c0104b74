/** Completions at an offset of a config: from the schema and the form's fields. Pure. */
import { stringify } from 'yaml';
import { isDotted } from '../../edit/form_edits.ts';
import type { Json, Path } from '../../edit/model.ts';
import {
  choicesOf,
  type Field,
  fieldsIn,
  isMap,
  type Key,
  keysIn,
  kindOf,
  nodeIn,
  type SchemaNode,
  valueAt,
} from '../schema_nodes.ts';
import { type Place, placeAt } from './place.ts';

export interface Option {
  readonly label: string;
  /** Beside the label: a kind, a signature. */
  readonly detail: string;
  /** The manual's text. */
  readonly info: string;
  readonly type: 'property' | 'enum' | 'variable';
  /** Replaces the word; `|` stands where the caret goes. */
  readonly insert: string;
  /** Another list is worth showing behind it. */
  readonly goesOn: boolean;
}

export interface Completions {
  readonly from: number;
  readonly to: number;
  /** The first is the likeliest. */
  readonly options: readonly Option[];
  /** While the word looks like this, the same options serve. */
  readonly validFor: RegExp;
  /** Worth showing before anything of the word is typed. */
  readonly isEager: boolean;
}

/** A whole item to begin with, such as a field of a type. */
export interface Sample {
  readonly label: string;
  readonly info: string;
  readonly value: Json;
}
/** Samples for an item at the path. */
type SamplesAt = (path: Path, value: Json | undefined) => readonly Sample[];

/** `value`: the config as far as it can be read; without it, nothing is known of other keys. */
export function completionsAt(
  text: string,
  offset: number,
  schema: SchemaNode,
  value: Json | undefined,
  samplesAt: SamplesAt = () => [],
): Completions | undefined {
  const place = placeAt(text, offset);
  const { at, path } = place;
  if (at === 'none') return undefined;
  const inBraces =
    at === 'value' || at === 'item' ? templateAt(text, offset, fieldsIn(path, value)) : undefined;
  if (inBraces) return inBraces;
  const options = [
    ...(at === 'key' ? keyOptions(schema, place, path, value, '') : []),
    ...(at === 'child' ? childOptions(schema, place, value, samplesAt) : []),
    ...(at === 'item' && place.quote === ''
      ? [...sampleOptions(place, samplesAt(path, value), ''), ...keyOptions(schema, place, path, value, '')]
      : []),
    ...(at === 'item' || at === 'value' ? valueOptions(schema, place, value) : []),
  ];
  if (options.length === 0) return undefined;
  const isAfterColon = text[place.from - 1] === ':' && place.quote === '';
  return {
    from: place.from,
    to: place.to,
    options: isAfterColon ? options.map((one) => ({ ...one, insert: ` ${one.insert}` })) : options,
    validFor: /^[\w*.-]*$/,
    isEager: (at === 'value' || at === 'item') && options.some(({ type }) => type !== 'property'),
  };
}

const option = (label: string, more: Partial<Option> = {}): Option => ({
  ...{ label, detail: '', info: '', type: 'enum', insert: `${label}|`, goesOn: false },
  ...more,
});

/** The keys of the map at `path` that it does not have yet, the required ones first. */
function keyOptions(
  schema: SchemaNode,
  place: Place,
  path: Path,
  value: Json | undefined,
  dash: string,
): readonly Option[] {
  const map = valueAt(path, value);
  const there = isMap(map) ? map : {};
  const keys = keysIn(schema, path, value).filter(
    ({ name }) => name === place.key || !Object.hasOwn(there, name),
  );
  const column = place.column + dash.length;
  const insertOf = (key: Key) =>
    place.key !== undefined ? `${key.name}|` : `${dash}${key.name}${begun(key, place.isFlow, column)}`;
  return [
    ...[...keys.filter(({ isRequired }) => isRequired), ...keys.filter(({ isRequired }) => !isRequired)].map(
      (key) =>
        option(key.name, {
          detail: kindOfKey(key),
          info: key.description,
          type: 'property',
          insert: insertOf(key),
          goesOn: true,
        }),
    ),
    ...(path.at(-1) === 'mapping'
      ? fieldsIn(path, value)
          .filter(({ name }) => !Object.hasOwn(there, name))
          .map(({ name, type }) =>
            option(name, {
              detail: `field, ${type}`,
              type: 'variable',
              insert: place.key === undefined ? `${name}: ${name}|` : `${name}|`,
            }),
          )
      : []),
  ];
}

/** A kind in words, such as `duration, default 10s`. */
export const kindOfKey = ({ kindName, isRequired, default: fallback }: Key): string =>
  [
    kindName === 'value' ? '' : kindName,
    isRequired ? 'required' : '',
    fallback === undefined ? '' : `default ${JSON.stringify(fallback).replaceAll('"', '')}`,
  ]
    .filter((part) => part !== '')
    .join(', ');

/** The text after a new key: a block where the key takes one. */
function begun({ kind }: Key, isFlow: boolean, column: number): string {
  const below = `\n${' '.repeat(column + 2)}`;
  if (kind === 'map') return isFlow ? ': {|}' : `:${below}|`;
  if (kind === 'list') return isFlow ? ': [|]' : `:${below}- |`;
  return ': |';
}

/** Below a key without a value: the keys of its map, or the first key of its list's next item. */
function childOptions(
  schema: SchemaNode,
  place: Place,
  value: Json | undefined,
  samplesAt: SamplesAt,
): readonly Option[] {
  const { path } = place;
  const node = nodeIn(schema, path, value);
  if (!node) return [];
  if (kindOf(schema, node) !== 'list') return keyOptions(schema, place, path, value, '');
  const list = valueAt(path, value);
  const item = [...path, Array.isArray(list) ? list.length : 0];
  return [
    ...sampleOptions(place, samplesAt(item, value), '- '),
    ...keyOptions(schema, place, item, value, '- '),
  ];
}

const sampleOptions = (place: Place, samples: readonly Sample[], dash: string): readonly Option[] =>
  place.isFlow
    ? []
    : samples.map(({ label, info, value }) => {
        const below = `\n${' '.repeat(place.column + dash.length)}`;
        const lines = stringify(value, { lineWidth: 0 }).trimEnd().replaceAll('\n', below);
        return option(label, { detail: 'new', info, type: 'property', insert: `${dash}${lines}|` });
      });

function valueOptions(schema: SchemaNode, place: Place, value: Json | undefined): readonly Option[] {
  const { path } = place;
  const fields = referencesAt(path, value);
  if (fields) return fields.map((one) => (typeof one === 'string' ? option(one) : fieldOption(one)));
  const node = nodeIn(schema, path, value);
  if (!node) return [];
  const choices = choicesOf(schema, node).filter(
    ({ value: one }) => place.quote === '' || typeof one === 'string',
  );
  const written = (one: Json) => (one === '*' && place.quote === '' ? '"*"' : String(one));
  const listed = choices.map(({ value: one, description }) =>
    option(String(one), {
      detail: one === node.default ? 'default' : '',
      info: description,
      insert: `${written(one)}|`,
    }),
  );
  // A proposal beside a value that is typed would replace it with Enter.
  if (listed.length > 0 || place.quote !== '' || place.text !== '') return listed;
  const key = keysIn(schema, path.slice(0, -1), value).find(({ name }) => name === path.at(-1));
  const proposals = new Map<Json, string>([
    ...(key?.default === undefined ? [] : [[key.default, 'default'] as const]),
    ...(key?.placeholder === undefined ? [] : [[key.placeholder, 'example'] as const]),
  ]);
  return [...proposals]
    .filter(([one]) => /^[^\s{}[\]"'#&*!|>%@`:,-][^:#{}[\],]*$/.test(String(one)))
    .map(([one, detail]) => option(String(one), { detail, info: key?.description ?? '' }));
}

const fieldOption = ({ name, type, label }: Field) =>
  option(name, { detail: `field, ${type}`, info: label, type: 'variable' });

/** Where a value names a field, or one of its options: those that fit. */
function referencesAt(path: Path, value: Json | undefined): readonly (Field | string)[] | undefined {
  const all = fieldsIn(path, value);
  const names = path.map((key) => (typeof key === 'number' ? '#' : key)).join('/');
  if (/\/(?:same_as|differs_from)$|\/once\/by$|\/redirect_with\/#$/.test(names)) return all;
  if (/\/(?:double_opt_in|confirmation_mail)\/to$/.test(names))
    return all.filter(({ type }) => type === 'email');
  if (/\/attachments\/#$/.test(names)) return all.filter(({ type }) => type === 'file');
  if (/\/(?:groups|steps)\/#\/fields\/#$/.test(names)) {
    const taken = valueAt(path.slice(0, -1), value);
    return all.filter(
      ({ name }) => !Array.isArray(taken) || !taken.includes(name) || valueAt(path, value) === name,
    );
  }
  if (/\/(?:mapping\/[^/]+|\$field)$/.test(names)) return all;
  const [, condition, key] =
    /\/(when|visible_when|required_when)(?:\/(?:all|any)\/#|\/not)*\/(field|is|is_not)(?:\/#)?$/.exec(
      names,
    ) ?? [];
  if (condition === undefined) return undefined;
  if (key === 'field') {
    const own = condition !== 'when' ? valueAt([...path.slice(0, 4), 'name'], value) : undefined;
    return all.filter(({ name }) => name !== own);
  }
  const test = path.slice(0, typeof path.at(-1) === 'number' ? -2 : -1);
  const decides = valueAt([...test, 'field'], value);
  const options = all.find(({ name }) => name === decides)?.options.map(({ value }) => value) ?? [];
  return options.length > 0 ? options : undefined;
}

/** Where the braces of a template begin that the offset is in, on its line. */
function bracesAt(text: string, offset: number): number | undefined {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const open = line.lastIndexOf('{{');
  return open < 0 || line.indexOf('}}', open) >= 0 ? undefined : offset - line.length + open + 2;
}

/** The fields by their paths in a template. */
function templateAt(text: string, offset: number, fields: readonly Field[]): Completions | undefined {
  const open = bracesAt(text, offset);
  if (open === undefined) return undefined;
  const before = text.slice(open, offset);
  // In quotes, the owner says something of their own.
  if ((before.match(/"/g)?.length ?? 0) % 2 === 1) return undefined;
  const to = offset + (/^[\w-]*/.exec(text.slice(offset))?.[0].length ?? 0);
  const word = /[.\w-]*$/.exec(before)?.[0] ?? '';
  // The braces behind a quote are those of YAML's maps.
  const closed = /^[^{}"'\n]*\}\}/.test(text.slice(to, to + 200)) ? '' : ' }}';
  const paths = [
    ...fields
      .filter(({ name }) => isDotted(name))
      .flatMap(({ name, type, label, options }) =>
        ['fields', ...(options.length > 0 ? ['labels'] : [])].map((part) =>
          option(`.${part}.${name}`, { detail: `field, ${type}`, info: label, type: 'variable' }),
        ),
      ),
    option('.submitted_at', { info: 'The time of the submission.', type: 'variable' }),
    option('.form.id', { info: 'The name of the form.', type: 'variable' }),
  ];
  return {
    from: offset - word.length,
    to,
    options: paths.map((one) => ({ ...one, insert: `${one.label}|${closed}` })),
    validFor: /^[.\w-]*$/,
    isEager: true,
  };
}
