import { labelFromName } from '@form-relay/core/fields/label';

/** A name that code gave, such as `contact[firstName]`, in words. */
export function readable(name: string): string {
  const words = spaced(innermost(name));
  return /[\p{L}\p{N}]/u.test(words) ? labelFromName(words.replaceAll('.', ' ')) : labelFromName(name);
}

/** Whether a person would understand the name, unlike `00N000000000001AB`, `input_9` or `wpforms[fields][2]`. */
export function hasWords(name: string): boolean {
  const parts = innermost(name).split(/[^\p{L}\p{M}\p{N}]+/u);
  const isUnderstood = (part: string) => spaced(part).split(' ').every(isWord);
  // "item" may be meant, "item_3" is counted.
  if (parts.length === 1 && !/\d/.test(name)) return parts.every(isUnderstood);
  return parts.some((part) => isUnderstood(part) && !generic.has(part.toLowerCase().replace(/\d+$/, '')));
}

/** `contact[firstName]` and `ctl00$main$txtFirstName` say `firstName`. */
function innermost(name: string): string {
  const inside = /\[([^[\]]+)\](\[\])*$/.exec(name)?.[1] ?? name.replace(/\[.*$/s, '');
  return inside.replace(/^.*\$/s, '').replace(/^(txt|ddl|chk|rbl|lst)(?=\p{Lu})/u, '');
}

/** Words out of camelCase. A run of capitals is one word: "company URL", "VAT number". */
const spaced = (name: string): string =>
  name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})(\p{Ll})?/gu, (_, end, start, next) =>
      next ? `${end} ${start.toLowerCase()}${next}` : `${end} ${start}`,
    )
    // The last capital begins a word, unless an s makes a plural: "user IDs".
    .replaceAll(
      /(\p{Lu})(?!\p{Lu}s(?!\p{Ll}))(\p{Lu})(?=\p{Ll})/gu,
      (_, end, start) => `${end} ${start.toLowerCase()}`,
    );

/** Letters with at most two digits behind them. A long one without a vowel is an id, too. */
const isWord = (part: string): boolean =>
  /^([\p{L}\p{M}]{2,}|[^\p{Script=Latin}\P{L}])[\p{L}\p{M}]*\d{0,2}$/u.test(part) &&
  !/^[b-df-hj-np-tv-xz]{5,}\d*$/i.test(part);

/** What generators of forms call their fields. */
const generic = new Set(
  'field fields input inputs text textarea textbox item meta form forms ff frm fld nf gf cf wpforms wpcf ninja gform el elem element elementor control ctl entry question menu select dropdown checkbox radio option value custom attr data id comp tfa main content placeholder val x y'.split(
    ' ',
  ),
);
