/** Names of fields in templates (`.fields.name`, `.labels.name`, `values "name"`) and in formulas (`guests.age`, `"number of guests"`). */

/** A name that `.fields.` of a template can hold (packages/core/src/schema/template/cursor.ts); others go through `values`. */
export const isDotted = (name: string) => /^[\p{L}_][\p{L}\p{Nd}_]*(?:-+[\p{L}\p{Nd}_]+)*$/u.test(name);

/** An action with its braces; quoted text in it may hold braces of its own. */
const action = /\{\{(?:"(?:\\.|[^"\\])*"|`[^`]*`|(?!\}\})[^"`])*\}\}/gs;

/** A path, a call of `values`, or quoted text, which is passed over. */
const named =
  /(\.(?:fields|labels)\.)([\p{L}_][\p{L}\p{Nd}_]*(?:-+[\p{L}\p{Nd}_]+)*)|(\bvalues\s+)("(?:\\.|[^"\\])*"|`[^`]*`)|"(?:\\.|[^"\\])*"|`[^`]*`/gu;

/** What stands in place of a name, which is not in quotes in a path; `undefined`: the name itself. */
type Change = (name: string, isPath: boolean) => string | undefined;

const inTemplate = (template: string, change: Change) =>
  template.replace(action, (whole) =>
    whole.startsWith('{{/*')
      ? whole
      : whole.replace(
          named,
          (found: string, path?: string, name?: string, call?: string, quoted?: string) => {
            if (path !== undefined && name !== undefined) return path + (change(name, true) ?? name);
            if (call === undefined || quoted === undefined) return found;
            const [quote = '"', text] = [quoted[0], quoted.slice(1, -1)];
            return call + quote + (change(text, false) ?? text) + quote;
          },
        ),
  );

/** A name in quotes, or a name or function, as the relay reads them (packages/more-fields/src/computed/formula.ts). */
const token =
  /("[^"]*"|'[^']*')|([A-Za-z_\u00aa-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\uffff][\w.\u00aa-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\uffff]*)(?!\s*\(|[\w.\u00aa-\uffff])/g;

const inFormula = (formula: string, change: Change) =>
  formula.replace(
    token,
    (found: string, quoted: string | undefined) =>
      change(quoted === undefined ? found : quoted.slice(1, -1), quoted === undefined) ?? found,
  );

/** A name as formulas write it, in quotes if need be; `undefined` where none can. */
function formulaName(name: string): string | undefined {
  if (name.replace(token, '') === '' && !/^["']/.test(name)) return name;
  const quote = name.includes('"') ? "'" : '"';
  return name.includes(quote) ? undefined : quote + name + quote;
}

/** A field, or a part of it: `values "home.city"`. */
const isOf = (name: string, field: string) => name === field || name.startsWith(`${field}.`);

const finder = (each: typeof inTemplate) => (text: string, field: string) => {
  let isFound = false;
  each(text, (name) => {
    isFound ||= isOf(name, field);
    return undefined;
  });
  return isFound;
};

/** Gives a field another name; `undefined` where the text cannot name it so. */
const renamer = (each: typeof inTemplate, written: Change) => (text: string, from: string, to: string) => {
  let isPossible = true;
  const made = each(text, (name, isPath) => {
    if (!isOf(name, from)) return undefined;
    const next = written(to + name.slice(from.length), isPath);
    isPossible &&= next !== undefined;
    return next;
  });
  return isPossible ? made : undefined;
};

/** Whether a template, or a formula, names a field. */
export const mentions = finder(inTemplate);
export const mentionsInFormula = finder(inFormula);

export const renamed = renamer(inTemplate, (name, isPath) =>
  (isPath ? isDotted(name) : !/["\\`\n]/.test(name)) ? name : undefined,
);
export const renamedInFormula = renamer(inFormula, formulaName);
