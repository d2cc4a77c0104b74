/** Actions on a config's text, and their results. */

export type Path = readonly (string | number)[];
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Parses the notation of `formatPath` in packages/yaml/src/problem.ts. */
export const pathIn = (text: string): Path =>
  [...text.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name = '']) =>
    index !== undefined ? Number(index) : quoted !== undefined ? JSON.parse(quoted) : name,
  );

export type Action =
  /** Sets the value at `path`; creates a missing key, and the maps above it. */
  | { readonly do: 'set'; readonly path: Path; readonly value: Json }
  /** Does nothing if the path is missing. The list or map around it stays, possibly as `[]` or `{}`. */
  | { readonly do: 'remove'; readonly path: Path }
  /** Inserts into the list at `path`, before the current item `index`. A missing list is created. */
  | { readonly do: 'insert'; readonly path: Path; readonly index: number; readonly value: Json }
  /** Moves an item of the list at `path`; `to` is its index after it was removed. */
  | { readonly do: 'move'; readonly path: Path; readonly from: number; readonly to: number }
  /** Renames the key at `path` in place. */
  | { readonly do: 'rename'; readonly path: Path; readonly key: string };

/** Offsets in UTF-16 units of the original text. Changes are sorted and do not overlap. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

export type Edited = { readonly ok: true; readonly changes: readonly Change[] } | Refused;

/** Why this must be edited as text: a sentence for the owner. */
interface Refused {
  readonly ok: false;
  readonly says: string;
}

export const refused = (says: string): Refused => ({ ok: false, says });

/** Actions on plain data: the expected result of an edit, and the smallest steps to it. */

/** A change of one key or item. */
export type Step =
  | { readonly do: 'put'; readonly path: Path; readonly value: Json }
  /** Inserts into the map (with a `key`) or list at `path`, which is not empty. */
  | {
      readonly do: 'add';
      readonly path: Path;
      readonly index: number;
      readonly key?: string;
      readonly value: Json;
    }
  | { readonly do: 'drop'; readonly path: Path }
  | { readonly do: 'move'; readonly path: Path; readonly from: number; readonly to: number }
  | { readonly do: 'rename'; readonly path: Path; readonly key: string };

export type JsonMap = { readonly [key: string]: Json };
type List = readonly Json[];

export const isList = (value: Json | undefined): value is List => Array.isArray(value);
export const listOf = (value: Json | undefined): List => (isList(value) ? value : []);
export const isMap = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const mapOf = (value: Json | undefined): JsonMap => (isMap(value) ? value : {});
export const isScalar = (value: Json | undefined): value is string | number | boolean =>
  value !== undefined && value !== null && typeof value !== 'object';

/** The value at a path; `undefined` if there is none. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let at = value;
  for (const key of path) {
    if (isList(at)) at = at[Number(key)];
    else at = isMap(at) && Object.hasOwn(at, key) ? at[String(key)] : undefined;
  }
  return at;
}

/** Deep equality, also of values that aliases repeat. The order of keys does not matter. */
export function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (isList(one))
    return isList(other) && one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
  if (!isMap(one) || !isMap(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]))
  );
}

type Modelled = { readonly ok: true; readonly value: Json } | Refused;

const missing = refused('This part no longer exists.');

/** The data after an action. */
export function modelled(value: Json, action: Action): Modelled {
  const { path } = action;
  if (action.do === 'set') return setIn(value, path, () => ({ ok: true, value: action.value }));
  if (action.do === 'insert')
    return setIn(value, path, (list = null) => {
      if (list === null) return { ok: true, value: [action.value] };
      if (!isList(list)) return refused('There is no list here.');
      return { ok: true, value: list.toSpliced(placeIn(list, action.index), 0, action.value) };
    });
  if (valueAt(value, path) === undefined) return action.do === 'remove' ? { ok: true, value } : missing;
  if (action.do === 'move')
    return setIn(value, path, (list) => {
      if (!isList(list)) return refused('There is no list here.');
      const item = list[action.from];
      const isPlace = Number.isInteger(action.to) && action.to >= 0 && action.to < list.length;
      if (item === undefined || !isPlace) return missing;
      return { ok: true, value: list.toSpliced(action.from, 1).toSpliced(action.to, 0, item) };
    });
  const key = path.at(-1);
  if (key === undefined) return refused('The whole file cannot be removed or renamed.');
  return setIn(value, path.slice(0, -1), (around) => {
    if (isList(around) && action.do === 'remove')
      return { ok: true, value: around.toSpliced(Number(key), 1) };
    if (!isMap(around)) return refused('There is no key here.');
    const name = String(key);
    if (action.do === 'rename' && action.key !== name && Object.hasOwn(around, action.key))
      return refused(`"${action.key}" is already there.`);
    const entries = Object.entries(around).flatMap(([one, held]) => {
      if (one !== name) return [[one, held] as const];
      return action.do === 'rename' ? [[action.key, held] as const] : [];
    });
    return { ok: true, value: Object.fromEntries(entries) };
  });
}

export const placeIn = (list: List, index: number) => Math.max(0, Math.min(list.length, Math.trunc(index)));

function setIn(at: Json | undefined, path: Path, make: (old: Json | undefined) => Modelled): Modelled {
  const [key, ...rest] = path;
  if (key === undefined) return make(at);
  if (isList(at) || (typeof key === 'number' && (at ?? null) === null)) {
    const list = isList(at) ? at : [];
    const index = Number(key);
    if (!Number.isInteger(index) || index < 0 || index > list.length) return missing;
    const made = setIn(list[index], rest, make);
    return made.ok ? { ok: true, value: list.toSpliced(index, 1, made.value) } : made;
  }
  if (!isMap(at) && (at ?? null) !== null) return refused('The value here has no keys.');
  const map = isMap(at) ? at : {};
  const made = setIn(Object.hasOwn(map, key) ? map[String(key)] : undefined, rest, make);
  return made.ok ? { ok: true, value: { ...map, [key]: made.value } } : made;
}

/** The steps of an action that `modelled` allows. */
export function stepsOf(value: Json, action: Action): readonly Step[] {
  const { path } = action;
  switch (action.do) {
    case 'set':
      return setSteps(value, path, action.value);
    case 'remove':
      return valueAt(value, path) === undefined ? [] : [{ do: 'drop', path }];
    case 'insert': {
      const list = valueAt(value, path);
      if (!isList(list)) return setSteps(value, path, [action.value]);
      if (list.length === 0) return [{ do: 'put', path, value: [action.value] }];
      return [{ do: 'add', path, index: placeIn(list, action.index), value: action.value }];
    }
    case 'move':
      return action.from === action.to ? [] : [action];
    case 'rename':
      return path.at(-1) === action.key ? [] : [action];
  }
}

/** Adds the first missing key of the path, with everything below it. */
function setSteps(value: Json, path: Path, wanted: Json): readonly Step[] {
  const depth = path.findIndex((_, index) => valueAt(value, path.slice(0, index + 1)) === undefined);
  if (depth === -1) return difference(path, valueAt(value, path) ?? null, wanted);
  const around = path.slice(0, depth);
  const [key, ...below] = path.slice(depth);
  const made = below.reduceRight<Json>(
    (held, one) => (typeof one === 'number' ? [held] : { [one]: held }),
    wanted,
  );
  const parent = valueAt(value, around) ?? null;
  if (isList(parent) && parent.length > 0)
    return [{ do: 'add', path: around, index: parent.length, value: made }];
  if (isMap(parent) && Object.keys(parent).length > 0) {
    const index = placeFor(String(key), Object.keys(parent), around);
    return [{ do: 'add', path: around, index, key: String(key), value: made }];
  }
  const isInList = isList(parent) || (parent === null && typeof key === 'number');
  return [{ do: 'put', path: around, value: isInList ? [made] : { [String(key)]: made } }];
}

/** Longer settings of a form or field, which come after the short ones, in this order. */
const long = [
  ...['options', 'fields', 'groups', 'steps'],
  ...['spam', 'captcha', 'verification_mail', 'double_opt_in', 'outputs', 'confirmation_mail'],
];

/** In a form, before the long keys that follow it; elsewhere at the end. */
function placeFor(key: string, keys: readonly string[], [top, form, part]: Path): number {
  const isForm = top === 'forms' && form !== undefined && part !== 'outputs';
  const next = isForm ? keys.findIndex((one) => long.indexOf(one) > long.indexOf(key)) : -1;
  return next < 0 ? keys.length : next;
}

/** Skips equal parts. */
function difference(path: Path, old: Json, wanted: Json): readonly Step[] {
  if (isEqual(old, wanted)) return [];
  if (isMap(old) && isMap(wanted) && Object.keys(old).length > 0 && Object.keys(wanted).length > 0)
    return ofMaps(path, old, wanted);
  if (isList(old) && isList(wanted) && old.length > 0 && wanted.length > 0) return ofLists(path, old, wanted);
  return [{ do: 'put', path, value: wanted }];
}

/** A new key follows its predecessor in the new map. Removals come last, so the map is never empty. */
function ofMaps(path: Path, old: JsonMap, wanted: JsonMap): readonly Step[] {
  const steps: Step[] = [];
  const keys = Object.keys(old);
  let before: string | undefined;
  for (const [key, value] of Object.entries(wanted)) {
    if (Object.hasOwn(old, key)) steps.push(...difference([...path, key], old[key] ?? null, value));
    else {
      const index = before === undefined ? 0 : keys.indexOf(before) + 1;
      keys.splice(index, 0, key);
      steps.push({ do: 'add', path, index, key, value });
    }
    before = key;
  }
  for (const key of Object.keys(old))
    if (!Object.hasOwn(wanted, key)) steps.push({ do: 'drop', path: [...path, key] });
  return steps;
}

/** Keeps common items at the start and end. Works from the end, so that earlier indexes stay valid. */
function ofLists(path: Path, old: List, wanted: List): readonly Step[] {
  const shorter = Math.min(old.length, wanted.length);
  let head = 0;
  while (head < shorter && isEqual(old[head], wanted[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isEqual(old.at(-1 - tail), wanted.at(-1 - tail))) tail += 1;
  const end = shorter - tail;
  const more = wanted.slice(end, wanted.length - tail).toReversed();
  const gone = old.slice(end, old.length - tail).map((_, nth) => end + nth);
  const both = wanted.slice(head, end).map((value, nth) => [head + nth, value] as const);
  return [
    ...more.map((value): Step => ({ do: 'add', path, index: end, value })),
    ...gone.toReversed().map((at): Step => ({ do: 'drop', path: [...path, at] })),
    ...both.flatMap(([at, value]) => difference([...path, at], old[at] ?? null, value)),
  ];
}
