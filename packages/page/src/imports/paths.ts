/** Reads texts and makes keys from the places of a source. */

import { isMap } from '@form-relay/schema/schema';
import type { Keys, Value } from '../moving_in/config_text.ts';
import { all, at, type Place, use } from './ledger.ts';

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

/** Makes keys from recipes: `$path` is the value there, changed if a change follows; other values stay. */
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
  // A second one of the same words is left out, and said.
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
