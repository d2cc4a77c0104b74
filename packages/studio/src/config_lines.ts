import type { Path } from '@form-relay/relay/base';
import { readDocument, spotFinder } from '@form-relay/relay/config';
import { isMap } from '@form-relay/relay/schema';

/** By form: at which line of the config, from 1, stands what a key of the page is about, such as `fields.email`. */
export type Lines = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** `undefined` for a text that is no YAML: where things stood before is a better guess than nothing. */
export function linesOf(text: string): Lines | undefined {
  const document = readDocument(text);
  if (!document.ok) return undefined;
  const { value, places } = document.value;
  const spotOf = spotFinder(text);
  const lineOf = (path: Path) => spotOf(places.of({ path, aboutKey: true }).offset).lineNumber;
  const forms = isMap(value) && isMap(value.forms) ? value.forms : {};
  return Object.fromEntries(
    Object.entries(forms).map(([id, form]) => {
      const paths = isMap(form) ? pathsIn(form) : [];
      return [id, Object.fromEntries(paths.map(([key, path]) => [key, lineOf(['forms', id, ...path])]))];
    }),
  );
}

/** What a page asks for, and where it is in the form. */
function pathsIn(form: Readonly<Record<string, unknown>>): readonly (readonly [string, Path])[] {
  const { fields, outputs, spam } = form;
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  return [
    ['', []],
    ...Object.keys(form).map((key) => [key, [key]] as const),
    ...(isMap(spam) ? Object.keys(spam).map((key) => [`spam.${key}`, ['spam', key]] as const) : []),
    ...list(fields).flatMap((field, index) =>
      isMap(field) && typeof field.name === 'string'
        ? [[`fields.${field.name}`, ['fields', index]] as const]
        : [],
    ),
    ...list(outputs).map((_, index) => [`outputs.${index}`, ['outputs', index]] as const),
  ];
}
