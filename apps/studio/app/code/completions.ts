/** Completions at an offset of a config: from the schema, the form's fields, and template functions. */
import type { Json, Path } from '../../edit/index.ts';
import type { TemplateWords } from '../../src/state.ts';
import { type Field, fieldsIn } from '../fields_in.ts';
import {
  choicesOf,
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
  readonly type: 'property' | 'enum' | 'variable' | 'function';
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

export interface Language {
  readonly schema: SchemaNode;
  readonly words: TemplateWords;
}

/** `value`: the config as far as it can be read; without it, nothing is known of other keys. */
export function completionsAt(
  text: string,
  offset: number,
  { schema, words }: Language,
  value: Json | undefined,
): Completions | undefined {
  const place = placeAt(text, offset);
  const { at, path } = place;
  if (at === 'none') return undefined;
  const inBraces =
    at === 'value' || at === 'item' ? templateAt(text, offset, words, fieldsIn(path, value)) : undefined;
  if (inBraces) return inBraces;
  const options = [
    ...(at === 'key' ? keyOptions(schema, place, path, value, '') : []),
    ...(at === 'child' ? childOptions(schema, place, value) : []),
    ...(at === 'item' && place.quote === '' ? keyOptions(schema, place, path, value, '') : []),
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

/** Such as `duration, default 10s`. */
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
function childOptions(schema: SchemaNode, place: Place, value: Json | undefined): readonly Option[] {
  const { path } = place;
  const node = nodeIn(schema, path, value);
  if (!node) return [];
  if (kindOf(schema, node) !== 'list') return keyOptions(schema, place, path, value, '');
  const list = valueAt(path, value);
  const item = [...path, Array.isArray(list) ? list.length : 0];
  return keyOptions(schema, place, item, value, '- ');
}

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
  const [, condition, key] = /\/(when|visible_when)\/(field|is|is_not)(?:\/#)?$/.exec(names) ?? [];
  if (condition === undefined) return undefined;
  if (key === 'field') {
    const own = condition === 'visible_when' ? valueAt([...path.slice(0, 4), 'name'], value) : undefined;
    return all.filter(({ name }) => name !== own);
  }
  const at = path.indexOf(condition);
  const decides = valueAt([...path.slice(0, at + 1), 'field'], value);
  const options = all.find(({ name }) => name === decides)?.options.map(({ value }) => value) ?? [];
  return options.length > 0 ? options : undefined;
}

/** Such as `default "…" text`. */
const signatureOf = ({ name, parameters }: TemplateWords['functions'][number]): string =>
  [name, ...parameters.map((one) => (one === 'literal' ? '"…"' : one))].join(' ');

/** Where the braces of a template begin that the offset is in, on its line. */
function bracesAt(text: string, offset: number): number | undefined {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const open = line.lastIndexOf('{{');
  return open < 0 || line.indexOf('}}', open) >= 0 ? undefined : offset - line.length + open + 2;
}

function templateAt(
  text: string,
  offset: number,
  { functions, references }: TemplateWords,
  fields: readonly Field[],
): Completions | undefined {
  const open = bracesAt(text, offset);
  if (open === undefined) return undefined;
  const before = text.slice(open, offset);
  const to = offset + (/^[\w-]*/.exec(text.slice(offset))?.[0].length ?? 0);
  const [quoted] = /\bvalues \\?"([^"\\]*)$/.exec(before)?.slice(1) ?? [];
  if (quoted !== undefined) {
    return {
      from: offset - quoted.length,
      to,
      options: fields.map(fieldOption),
      validFor: /^[\w-]*$/,
      isEager: true,
    };
  }
  // In another text in quotes, the owner says something of their own.
  if ((before.match(/"/g)?.length ?? 0) % 2 === 1) return undefined;
  const word = /[.\w-]*$/.exec(before)?.[0] ?? '';
  const paths = references.flatMap(({ name, summary }) => {
    const stem = name.replace('<name>', '');
    if (stem === name) return [option(name, { info: summary, type: 'variable' })];
    if (stem.startsWith('.page')) return [option(stem, { info: summary, type: 'variable' })];
    return fields.map((field) =>
      option(stem + field.name, { detail: `field, ${field.type}`, info: summary, type: 'variable' }),
    );
  });
  const called = functions.map((one) =>
    option(one.name, {
      detail: signatureOf(one),
      info: one.summary,
      type: 'function',
      insert: `${one.name} |`,
      goesOn: true,
    }),
  );
  const isPiped = /\|\s*[\w]*$/.test(before);
  const options = isPiped ? called : word.startsWith('.') ? paths : [...paths, ...called];
  // The braces behind a quote are those of YAML's maps.
  const isClosed = /^[^{}"'\n]*\}\}/.test(text.slice(to, to + 200));
  const closed = isClosed ? '' : ' }}';
  return {
    from: offset - word.length,
    to,
    options: options.map((one) => ({
      ...one,
      insert: one.type === 'function' ? one.insert : `${one.label}|${closed}`,
    })),
    validFor: /^[.\w-]*$/,
    isEager: true,
  };
}
