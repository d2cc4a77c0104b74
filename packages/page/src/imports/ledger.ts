/** Records what an import takes from its source, so that everything else becomes a remark. */

import { isMap } from '@form-relay/schema/schema';
import type { Keys, Value } from '../moving_in/config_text.ts';

/** `opened`: a path has read it. `used`: it is in the config or in a remark, with everything inside it. */
type Mark = 'opened' | 'used';
type Ledger = Map<unknown, Map<string, Mark>>;

/** A value in a source, and its location. The source was read as YAML or JSON, with every scalar as text. */
export interface Place {
  readonly value: unknown;
  readonly ledger: Ledger;
  readonly holder: unknown;
  readonly key: string;
  /** Whether a path listed a map's keys, so that the key carries information. */
  readonly isNamed?: boolean;
}

export const rootOf = (value: unknown): Place => ({ value, ledger: new Map(), holder: undefined, key: '' });

function mark({ ledger, holder, key }: Place, as: Mark): void {
  const marks = ledger.get(holder) ?? new Map<string, Mark>();
  if (marks.get(key) !== 'used') marks.set(key, as);
  ledger.set(holder, marks);
}

export const use = (place: Place): void => mark(place, 'used');
export const isUsed = ({ ledger, holder, key }: Place): boolean => ledger.get(holder)?.get(key) === 'used';

/**
 * The places that a path leads to. `a.b` is a nested key, `a[]` all items of a list, `a[0]` the first,
 * `a[1+]` all others, `a{}` all values of a map, and `@` the key of such a value. `a|b` is the first
 * alternative that exists. Never follows a prototype.
 */
export const at = (from: Place, paths = '-'): readonly Place[] =>
  paths
    .split('|')
    .map((path) => follow(from, path))
    .find((found) => found.length > 0) ?? [];

/** The places of all alternatives. */
export const all = (from: Place, paths = '-'): readonly Place[] =>
  paths.split('|').flatMap((path) => follow(from, path));

const follow = (from: Place, path: string): readonly Place[] =>
  path.split('.').reduce<readonly Place[]>((found, step) => found.flatMap((one) => next(one, step)), [from]);

function next(from: Place, step: string): readonly Place[] {
  if (step === '@') return from.isNamed ? [{ ...from, value: from.key, holder: from }] : [];
  const [, key = '', how] = /^(.*?)(\[\]|\[0\]|\[1\+\]|\{\})?$/.exec(step) ?? [];
  const { value } = from;
  let inner = from;
  if (key !== '') {
    if (!isMap(value) || !Object.hasOwn(value, key) || value[key] === null) return [];
    inner = open(from, value, key);
  }
  if (how === undefined) return [inner];
  const held = inner.value;
  if (how === '{}')
    return isMap(held) ? Object.keys(held).map((one) => ({ ...open(inner, held, one), isNamed: true })) : [];
  if (!Array.isArray(held)) return [];
  const [start, end] = how === '[0]' ? [0, 1] : [how === '[]' ? 0 : 1, held.length];
  return held.slice(start, end).map((_, index) => open(inner, held, String(start + index)));
}

function open({ ledger }: Place, holder: object, key: string): Place {
  const place = { value: Reflect.get(holder, key), ledger, holder, key };
  mark(place, 'opened');
  return place;
}

/** A value that no path has used, with its path from the form or from the surrounding list item. */
interface Unread {
  readonly path: string;
  readonly item: unknown;
}

/** `isItem`: whether paths restart at this value. `ignored` tests paths including the value: `settings.is_public=true`. */
export function unread(from: Place, isItem: (value: unknown) => boolean, ignored: RegExp): readonly Unread[] {
  const { value, ledger } = from;
  const found: Unread[] = [];
  const walk = (at: unknown, path: string, item: unknown): void => {
    const isList = Array.isArray(at);
    if (!isList && !isMap(at)) return;
    for (const key of Object.keys(at)) {
      const inner: unknown = Reflect.get(at, key);
      const here = isList ? `${path}[]` : path === '' ? key : `${path}.${key}`;
      const was = ledger.get(at)?.get(key);
      if (
        was === 'used' ||
        saysNothing(inner) ||
        ignored.test(`${here}=${typeof inner === 'string' ? inner : ''}`)
      )
        continue;
      const [start, within] = isItem(inner) ? ['', inner] : [here, item];
      if (was === 'opened' && typeof inner === 'object') walk(inner, start, within);
      // If a path has read the value, `false` needs no remark.
      else if (was !== 'opened' || inner !== 'false') found.push({ path: here, item });
    }
  };
  if (!isUsed(from)) walk(value, '', undefined);
  return found;
}

const saysNothing = (value: unknown) =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

/** The places at a path whose text a pattern matches as a whole. A map or a list is empty text. */
export const matching = (from: Place, paths: string | undefined, pattern: string): readonly Place[] =>
  all(from, paths).filter((place) => whole(pattern).test(textOf(place)));

const patterns = new Map<string, RegExp>();

function whole(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(`^(?:${pattern})$`, 'is');
  patterns.set(pattern, known);
  return known;
}

export const textOf = ({ value }: Place): string => (typeof value === 'string' ? value : '');

/** The first text at a path, as visitors read it: on one line, without markup. */
export function textAt(from: Place, paths: string | undefined): string | undefined {
  const [place] = at(from, paths);
  return place && readText(place);
}

export function readText(place: Place): string | undefined {
  const text = words(place.value);
  if (text !== undefined) use(place);
  return text;
}

const blocks = /<\/?(?:br|div|h\d|li|p|t[dhr])\b[^<>]*>|[\s\p{Cc}]+/giu;
/** `*bold*` and `_italic_`, as Typeform writes them. */
const emphasis = /(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^*_\n]*[^\s*_])\1(?![\p{L}\p{N}*_])/gu;

const words = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
        .replaceAll(blocks, ' ')
        .replaceAll(/<\/?[a-z][^<>]*>/gi, '')
        .replaceAll(/ +/g, ' ')
        .replaceAll(emphasis, '$2')
        .trim() || undefined
    : undefined;

/** Makes keys from recipes: `$path` stands for the value there, optionally followed by a change; other values are literal. */
export const made = (recipes: Readonly<Record<string, unknown>>, from: Place): Keys =>
  Object.fromEntries(
    Object.entries(recipes)
      .map(([key, recipe]) => [key, isMap(recipe) ? made(recipe, from) : madeOf(recipe, from)] as const)
      .filter(([, value]) => value !== undefined && JSON.stringify(value) !== '{}'),
  );

const changes: Readonly<Record<string, (text: string) => Value | undefined>> = {
  '-1': (text) => String(Number(text) - 1),
  '^': (text) => text.toUpperCase(),
  '?': (text) => text === 'true' || undefined,
  '%': (text) => `${Math.ceil(Number(text) / 1_000_000)}MB`,
};

function madeOf(recipe: unknown, from: Place): Value | undefined {
  const [, paths, change = ''] = /^\$(.*?)(-1|[%^?])?$/.exec(typeof recipe === 'string' ? recipe : '') ?? [];
  if (paths === undefined) return recipe as Value;
  const isList = paths.includes('[]');
  const found = at(from, paths).slice(0, isList ? undefined : 1);
  const texts = new Set<string>();
  // A repeated option is omitted, and reported.
  const isOneList = paths.split('[]').length === 2;
  for (const place of found) {
    const text = words(place.value);
    if (text === undefined || (texts.has(text) && isOneList)) continue;
    use(place);
    texts.add(text);
  }
  const [first, ...more] = texts;
  if (first === undefined) return undefined;
  if (isList) return [first, ...more];
  const changed = changes[change]?.(first) ?? first;
  return changed === 'false' ? false : changed;
}
