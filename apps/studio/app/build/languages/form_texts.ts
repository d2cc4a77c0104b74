/** All texts of a form that visitors read. Pure. */
import type { Action, Json, Path } from '../../../edit/index.ts';
import { isMap, type SchemaNode, textsIn, valueAt } from '../../schema_nodes.ts';
import { labelFrom } from '../fields/names.ts';
import { keyFor, textIn, textShown, textsOfForm } from '../texts.ts';

export interface FormText {
  readonly path: Path;
  /** Where it stands, in words. */
  readonly name: string;
  readonly part: string;
  readonly value: Json | undefined;
  /** The text that visitors read where this one is missing. */
  readonly fallback: string;
  readonly isLong: boolean;
}

const names: Readonly<Record<string, string>> = {
  ...Object.fromEntries(textsOfForm),
  kept_message: 'After it was kept',
  legend: 'Heading',
};
const parts: Readonly<Record<string, string>> = { double_opt_in: 'Double opt-in mail' };

/** Those that are written, and the label of each field and option that visitors see. */
export const textsOf = (
  root: SchemaNode,
  config: Json | undefined,
  form: Path,
  language: string,
): readonly FormText[] =>
  textsIn(root, form, config)
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .map((path) => {
      const [list = '', ...inside] = path.slice(form.length);
      const key = String(path.at(-1));
      const at = (depth: number) => valueAt(path.slice(0, depth), config);
      const holder = at(path.length - 1);
      /** Of the option or row, else of the field. */
      const own = String(isMap(holder) ? (holder.value ?? holder.name ?? '') : holder);
      const item = path.at(-3) === 'options' ? 'Option' : path.at(-3) === 'rows' ? 'Row' : undefined;
      const fields = path.flatMap((_, depth) => (path[depth - 1] === 'fields' ? [at(depth + 1)] : []));
      return {
        path,
        part:
          fields.length > 0
            ? fields.map((field) => nameOfField(field, language)).join(' › ')
            : inside.length > 1
              ? `${labelFrom(String(list)).slice(0, -1)} ${Number(inside[0]) + 1}`
              : inside.length === 1
                ? (parts[list] ?? labelFrom(String(list)))
                : 'Form',
        name: item ? `${item} ${own}` : (names[key] ?? labelFrom(key)),
        value: at(path.length),
        fallback: key !== 'label' ? '' : item ? own : labelFrom(own),
        isLong: /^(confirmation|.*_message|.*text|footer|note)$/.test(key),
      };
    });

/** The texts of the form itself come first, and its title before them. */
const rankOf = (path: Path) => (path.length > 3 ? 2 : path.at(-1) === 'title' ? 0 : 1);

function nameOfField(field: Json | undefined, language: string): string {
  const { note, name, label }: { readonly [key: string]: Json } = isMap(field) ? field : {};
  return note === undefined ? (textShown(label, language) ?? labelFrom(String(name ?? ''))) : 'Note';
}

/** A map by language that lacks this one. Plain text is that of every language. */
export const isMissing = ({ value }: FormText, language: string): boolean =>
  isMap(value) && textIn(value, language) === undefined;

/** Takes a language out of the texts of a form. One that is left alone becomes plain text. */
export function withoutLanguage(
  texts: readonly FormText[],
  gone: string,
  left: readonly string[],
): readonly Action[] {
  return texts.flatMap(({ path, value }): readonly Action[] => {
    if (!isMap(value)) return [];
    const key = keyFor(value, gone);
    const [only = ''] = left;
    const rest = textIn(value, only);
    if (left.length === 1 && rest !== undefined) return [{ do: 'set', path, value: rest }];
    if (key === undefined) return [];
    return [
      Object.keys(value).length === 1 ? { do: 'remove', path } : { do: 'remove', path: [...path, key] },
    ];
  });
}
