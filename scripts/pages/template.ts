import { readFileSync } from 'node:fs';

export const readPage = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

/** A page's text with placeholders such as `@fields@`. */
export const template = (page: string): string => readPage(`${page}.template`);

/** The text with its placeholders filled in. Throws if a value is missing. */
export const filled = (page: string, values: Readonly<Record<string, string | number>>): string =>
  template(page).replaceAll(/@([\w ]+)@/g, (place, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`nothing fills ${place} in ${page}.template`);
    return String(values[name]);
  });
