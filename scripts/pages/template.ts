import { readFileSync } from 'node:fs';

export const readPage = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

/** The text of a page with its places, such as `@fields@`. */
export const template = (page: string): string => readPage(`${page}.template`);

/** That text with a value in each place. Throws if one has none. */
export const filled = (page: string, values: Readonly<Record<string, string | number>>): string =>
  template(page).replaceAll(/@([\w ]+)@/g, (place, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`nothing fills ${place} in ${page}.template`);
    return String(values[name]);
  });
