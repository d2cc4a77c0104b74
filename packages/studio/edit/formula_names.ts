/** Names of fields in formulas: `guests`, `guests.age` and `"number of guests"`. */

/** A name in quotes, or a name or function, as the relay reads them (packages/more-fields/src/computed/formula.ts). */
const token =
  /("[^"]*"|'[^']*')|([A-Za-z_\u00aa-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\uffff][\w.\u00aa-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\uffff]*)(?!\s*\(|[\w.\u00aa-\uffff])/g;

/** A name as formulas write it, in quotes if need be; `undefined` where none can. */
function inFormula(name: string): string | undefined {
  if (name.replace(token, '') === '' && !/^["']/.test(name)) return name;
  const quote = name.includes('"') ? "'" : '"';
  return name.includes(quote) ? undefined : quote + name + quote;
}

/** Replaces each name of the field or of a field in its entries. */
const changed = (formula: string, field: string, change: (name: string) => string) =>
  formula.replace(token, (found: string, quoted: string | undefined) => {
    const name = quoted === undefined ? found : quoted.slice(1, -1);
    return name === field || name.startsWith(`${field}.`) ? change(name) : found;
  });

export function mentionsInFormula(formula: string, field: string): boolean {
  let isFound = false;
  changed(formula, field, (name) => {
    isFound = true;
    return name;
  });
  return isFound;
}

/** The formula with another name for a field; `undefined` where no formula can name it so. */
export function renamedInFormula(formula: string, from: string, to: string): string | undefined {
  let isPossible = true;
  const text = changed(formula, from, (name) => {
    const next = inFormula(to + name.slice(from.length));
    isPossible &&= next !== undefined;
    return next ?? name;
  });
  return isPossible ? text : undefined;
}
