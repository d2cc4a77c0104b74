import aliases from './aliases.json' with { type: 'json' };

/**
 * Names that other form services, HTML and template languages use for our keys. A word may be an alias of several; the
 * one valid in its place is meant. So `name` means the `title` of a form, and the `field` of a condition.
 */
const { things: aliasesOf, types } = aliases;

export type Thing = keyof typeof aliasesOf;
export const things = Object.keys(aliasesOf) as readonly Thing[];

let byWord: ReadonlyMap<string, readonly Thing[]> | undefined;

/** All our names that a foreign word may mean. Ignores case and separators: `emailTo`, `email-to`. */
export function thingsCalled(word: string): readonly Thing[] {
  byWord ??= index();
  return byWord.get(squeezed(word)) ?? [];
}

/**
 * The field type that a foreign word means. Some words mean a type only, although a key has the same name; `things`
 * omits them.
 */
export const typeCalled = (word: string): string | undefined =>
  Object.entries(types).find(([, words]) => words.map(squeezed).includes(squeezed(word)))?.[0];

/** Built when the first name is unknown, so that no start pays for it. */
function index(): ReadonlyMap<string, readonly Thing[]> {
  const found = new Map<string, Thing[]>();
  for (const thing of things) {
    for (const word of aliasesOf[thing].map(squeezed)) {
      found.set(word, [...(found.get(word) ?? []), thing]);
    }
  }
  return found;
}

const squeezed = (word: string) => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
