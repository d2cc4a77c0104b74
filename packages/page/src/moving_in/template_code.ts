import { quoteAll } from '../check/page_finding.ts';
import type { MovedField } from './fields.ts';
import { type Remark, toDo } from './remark.ts';

/** Code of Hugo, Jekyll, PHP and the like, which visitors never see. */
export const isCode = (text: string): boolean => /\{\{|\{%|<%|<\?(php|=)/i.test(text);

const shown = ['label', 'help', 'placeholder', 'value'];

/** The fields of a page that is not built yet, without the code in their words. */
export function withoutCode(fields: readonly MovedField[]): {
  readonly fields: readonly MovedField[];
  readonly remarks: readonly Remark[];
} {
  const coded: string[] = [];
  const plain = fields.map((field) => {
    const code = shown.filter((key) => {
      const { [key]: value } = field.keys;
      return typeof value === 'string' && isCode(value);
    });
    if (code.length === 0) return field;
    coded.push(field.name);
    const words = Object.fromEntries(code.map((key) => [key, undefined]));
    return { ...field, keys: { ...field.keys, ...words } };
  });
  const advice = `what code writes into ${quoteAll(coded)} is left out: name the page as browsers get it, such as its address on a local server`;
  return { fields: plain, remarks: coded.length === 0 ? [] : [toDo(advice)] };
}
