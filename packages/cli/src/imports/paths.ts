/**
 * Reads YAML and JSON in which every scalar is text, by paths: `a.b`; `a[].b` for all of a list, `a[0]` for its first, `a{}` for all
 * of a map, each with its name as `key`; `a|b` for the one that is there.
 */
import type { Keys, Value } from '@form-relay/page/moving_in/config_text';
import { isMap } from '@form-relay/schema/schema';

export const at = (value: unknown, paths = '-'): readonly unknown[] =>
  paths
    .split('|')
    .map((path) => path.split('.').reduce<readonly unknown[]>(follow, [value]))
    .find((found) => found.length > 0) ?? [];

/** Never follows a prototype. */
function follow(found: readonly unknown[], step: string): readonly unknown[] {
  const [, key = '', how] = /^(.*?)(\[\]|\[0\]|\{\})?$/.exec(step) ?? [];
  return found.flatMap((one): readonly unknown[] => {
    const inner = key === '' ? one : isMap(one) && Object.hasOwn(one, key) ? one[key] : null;
    if (how === undefined) return inner === null ? [] : [inner];
    if (how === '{}')
      return isMap(inner)
        ? Object.entries(inner).map(([key, rest]) => ({ ...(isMap(rest) && rest), key }))
        : [];
    return Array.isArray(inner) ? inner.slice(0, how === '[]' ? undefined : 1) : [];
  });
}

/** The texts at a path that a pattern matches as a whole. A map or a list is empty text. */
export const matching = (value: unknown, paths: string | undefined, pattern: string): readonly string[] =>
  at(value, paths)
    .map((one) => (typeof one === 'string' ? one : ''))
    .filter((text) => new RegExp(`^(?:${pattern})$`, 'is').test(text));

/** The first text at a path, as visitors read it: on one line, without markup. */
export const textAt = (value: unknown, paths: string | undefined): string | undefined =>
  words(at(value, paths)[0]);

const blocks = /<\/?(?:br|div|h\d|li|p|t[dhr])\b[^<>]*>|[\s\p{Cc}]+/giu;

const words = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
        .replaceAll(blocks, ' ')
        .replaceAll(/<\/?[a-z][^<>]*>/gi, '')
        .replaceAll(/ +/g, ' ')
        .trim() || undefined
    : undefined;

/** What recipes make: `$path` is what stands there, `$path-1` one less, `$path!` the contrary, and all else itself. */
export const made = (recipes: Readonly<Record<string, unknown>>, from: unknown): Keys =>
  Object.fromEntries(
    Object.entries(recipes)
      .map(([key, recipe]) => [key, isMap(recipe) ? made(recipe, from) : madeOf(recipe, from)] as const)
      .filter(([, value]) => value !== undefined && JSON.stringify(value) !== '{}'),
  );

function madeOf(recipe: unknown, from: unknown): Value | undefined {
  const [, paths, change] = /^\$(.*?)(-1|!)?$/.exec(typeof recipe === 'string' ? recipe : '') ?? [];
  if (paths === undefined) return recipe as Value;
  const [first, ...more] = new Set(at(from, paths).flatMap((one) => words(one) ?? []));
  if (first === undefined) return undefined;
  if (paths.includes('[]')) return [first, ...more];
  if (change !== undefined) return change === '!' ? first !== 'true' : String(Number(first) - 1);
  return first === 'false' ? false : first;
}
