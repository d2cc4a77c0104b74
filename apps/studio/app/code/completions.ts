/** Completions at an offset in a config, from the schema and the form's fields. */

import { stringify } from 'yaml';
import { isDotted } from '../../edit/form_edits.ts';
import { type Json, listOf, mapOf, type Path, valueAt } from '../../edit/model.ts';
import { lineStart } from '../../edit/read.ts';
import { choicesAt, type Field, fieldsIn, type Key, keysAt, kindOf, nodeAt } from '../schema_nodes.ts';
import { type Place, placeAt } from './place.ts';

export interface Option {
  readonly label: string;
  /** Shown beside the label: a kind or a signature. */
  readonly detail: string;
  /** The manual's description. */
  readonly info: string;
  readonly type: 'property' | 'enum' | 'variable';
  /** Replaces the word; `|` marks the cursor. */
  readonly insert: string;
  /** Whether completion should open again after it. */
  readonly goesOn: boolean;
}

export interface Completions {
  readonly from: number;
  readonly to: number;
  /** The likeliest first. */
  readonly options: readonly Option[];
  /** The options stay valid while the word matches this. */
  readonly validFor: RegExp;
  /** Whether to show them before anything is typed. */
  readonly isEager: boolean;
}

/** A complete item to start from, such as a field of a type. */
export interface Sample {
  readonly label: string;
  readonly info: string;
  readonly value: Json;
}
/** Samples for the item at the path. */
type SamplesAt = (path: Path, value: Json | undefined) => readonly Sample[];

/** `value`: the config as far as it can be parsed; without it, other keys are unknown. */
export function completionsAt(
  text: string,
  offset: number,
  value: Json | undefined,
  samplesAt: SamplesAt,
): Completions | undefined {
  const place = placeAt(text, offset);
  const { at, path } = place;
  const isValue = at === 'value' || at === 'item';
  const inBraces = isValue && templateAt(text, offset, fieldsIn(path, value));
  if (inBraces) return inBraces;
  /** Inserted below a path: samples of an item, and the keys of its map. */
  const begun = (item: Path, dash: string) => [
    ...sampleOptions(place, samplesAt(item, value), dash),
    ...keyOptions(place, item, value, dash),
  ];
  const options = [
    ...(at === 'key' ? keyOptions(place, path, value, '') : []),
    ...(at === 'child' ? begunBelow(place, value, begun) : []),
    ...(at === 'item' && place.quote === '' ? begun(path, '') : []),
    ...(isValue ? valueOptions(place, value) : []),
  ];
  if (options.length === 0) return undefined;
  const isAfterColon = text[place.from - 1] === ':' && place.quote === '';
  return {
    from: place.from,
    to: place.to,
    options: isAfterColon ? options.map((one) => ({ ...one, insert: ` ${one.insert}` })) : options,
    validFor: /^[\w*.-]*$/,
    isEager: isValue && options.some(({ type }) => type !== 'property'),
  };
}

const option = (label: string, more: Partial<Option> = {}): Option => ({
  ...{ label, detail: '', info: '', type: 'enum', insert: `${label}|`, goesOn: false },
  ...more,
});

/** Missing keys of the map at `path`, the required ones first. */
function keyOptions(place: Place, path: Path, value: Json | undefined, dash: string): readonly Option[] {
  const there = mapOf(valueAt(value, path));
  const keys = keysAt(path, value).filter(({ name }) => name === place.key || !Object.hasOwn(there, name));
  const column = place.column + dash.length;
  const insertOf = (key: Key) =>
    place.key !== undefined ? `${key.name}|` : `${dash}${key.name}${afterKey(key, place.isFlow, column)}`;
  const fields = path.at(-1) === 'mapping' ? fieldsIn(path, value) : [];
  return [
    ...keys
      .toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired))
      .map((key) =>
        option(key.name, {
          detail: kindOfKey(key),
          info: key.description,
          type: 'property',
          insert: insertOf(key),
          goesOn: true,
        }),
      ),
    ...fields
      .filter(({ name }) => !Object.hasOwn(there, name))
      .map(({ name, type }) =>
        option(name, {
          detail: `field, ${type}`,
          type: 'variable',
          insert: place.key === undefined ? `${name}: ${name}|` : `${name}|`,
        }),
      ),
  ];
}

/** A kind in words, such as `duration, default 10s`. */
export const kindOfKey = ({ kindName, isRequired, default: fallback }: Key): string =>
  [
    kindName === 'value' ? '' : kindName,
    isRequired ? 'required' : '',
    fallback === undefined ? '' : `default ${JSON.stringify(fallback).replaceAll('"', '')}`,
  ]
    .filter(Boolean)
    .join(', ');

/** The text after a new key; opens a block if the key takes one. */
function afterKey({ kind }: Key, isFlow: boolean, column: number): string {
  const below = `\n${' '.repeat(column + 2)}`;
  if (kind === 'map') return isFlow ? ': {|}' : `:${below}|`;
  if (kind === 'list') return isFlow ? ': [|]' : `:${below}- |`;
  return ': |';
}

/** Below a key without a value: its map's keys, or the first key of its next list item. */
function begunBelow(
  place: Place,
  value: Json | undefined,
  begun: (item: Path, dash: string) => readonly Option[],
): readonly Option[] {
  const { path } = place;
  const node = nodeAt(path, value);
  if (!node) return [];
  return kindOf(node) === 'list'
    ? begun([...path, listOf(valueAt(value, path)).length], '- ')
    : keyOptions(place, path, value, '');
}

const sampleOptions = (place: Place, samples: readonly Sample[], dash: string): readonly Option[] =>
  place.isFlow
    ? []
    : samples.map(({ label, info, value }) => {
        const below = `\n${' '.repeat(place.column + dash.length)}`;
        const lines = stringify(value, { lineWidth: 0 }).trimEnd().replaceAll('\n', below);
        return option(label, { detail: 'new', info, type: 'property', insert: `${dash}${lines}|` });
      });

function valueOptions(place: Place, value: Json | undefined): readonly Option[] {
  const { path } = place;
  const fields = referencesAt(path, value);
  if (fields) return fields.map((one) => (typeof one === 'string' ? option(one) : fieldOption(one)));
  const usual = nodeAt(path, value)?.default;
  const written = (one: Json) => (one === '*' && place.quote === '' ? '"*"' : String(one));
  const listed = choicesAt(path, value)
    .filter(({ value: one }) => place.quote === '' || typeof one === 'string')
    .map(({ value: one, description }) =>
      option(String(one), {
        detail: one === usual ? 'default' : '',
        info: description,
        insert: `${written(one)}|`,
      }),
    );
  // Next to typed text, no proposal is shown, because Enter would replace the text.
  if (listed.length > 0 || place.quote !== '' || place.text !== '') return listed;
  const key = keysAt(path.slice(0, -1), value).find(({ name }) => name === path.at(-1));
  const proposals = new Map([
    [key?.default, 'default'],
    [key?.placeholder, 'example'],
  ]);
  return [...proposals]
    .filter(([one]) => one !== undefined && /^[^\s{}[\]"'#&*!|>%@`:,-][^:#{}[\],]*$/.test(String(one)))
    .map(([one, detail]) => option(String(one), { detail, info: key?.description ?? '' }));
}

const fieldOption = ({ name, type, label }: Field) =>
  option(name, { detail: `field, ${type}`, info: label, type: 'variable' });

/** Fields or options that fit a value that names them. */
function referencesAt(path: Path, value: Json | undefined): readonly (Field | string)[] | undefined {
  const all = fieldsIn(path, value);
  const names = path.map((key) => (typeof key === 'number' ? '#' : key)).join('/');
  if (/\/(?:same_as|differs_from)$|\/once\/by$|\/redirect_with\/#$/.test(names)) return all;
  if (/\/(?:double_opt_in|confirmation_mail)\/to$/.test(names))
    return all.filter(({ type }) => type === 'email');
  if (/\/attachments\/#$/.test(names)) return all.filter(({ type }) => type === 'file');
  if (/\/(?:groups|steps)\/#\/fields\/#$/.test(names)) {
    const taken = listOf(valueAt(value, path.slice(0, -1)));
    return all.filter(({ name }) => !taken.includes(name) || valueAt(value, path) === name);
  }
  if (/\/(?:mapping\/[^/]+|\$field)$/.test(names)) return all;
  const [, condition, key] =
    /\/(when|visible_when|required_when)(?:\/(?:all|any)\/#|\/not)*\/(field|is|is_not)(?:\/#)?$/.exec(
      names,
    ) ?? [];
  if (condition === undefined) return undefined;
  if (key === 'field') {
    const own = condition !== 'when' ? valueAt(value, [...path.slice(0, 4), 'name']) : undefined;
    return all.filter(({ name }) => name !== own);
  }
  const test = path.slice(0, typeof path.at(-1) === 'number' ? -2 : -1);
  const decides = valueAt(value, [...test, 'field']);
  const options = all.find(({ name }) => name === decides)?.options.map(({ value }) => value);
  return options?.length ? options : undefined;
}

/** The fields' paths in a template whose braces are open on the line. */
function templateAt(text: string, offset: number, fields: readonly Field[]): Completions | undefined {
  const before = text.slice(lineStart(text, offset), offset).split('{{').slice(1).at(-1);
  if (before === undefined || before.includes('}}')) return undefined;
  // Quoted text in a template is literal.
  if ((before.match(/"/g)?.length ?? 0) % 2 === 1) return undefined;
  const to = offset + (/^[\w-]*/.exec(text.slice(offset))?.[0].length ?? 0);
  const word = /[.\w-]*$/.exec(before)?.[0] ?? '';
  // Braces after a quote belong to YAML maps.
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
