/** Names of fields in templates (`.fields.name`, `.labels.name`, `values "name"`). */

/** A name that `.fields.` of a template can hold (packages/schema/src/template/cursor.ts); others go through `values`. */
export const isDotted = (name: string) => /^[\p{L}_][\p{L}\p{Nd}_]*(?:-+[\p{L}\p{Nd}_]+)*$/u.test(name);

/** An action with its braces; quoted text in it may hold braces of its own. */
const action = /\{\{(?:"(?:\\.|[^"\\])*"|`[^`]*`|(?!\}\})[^"`])*\}\}/gs;

/** A path, a call of `values`, or quoted text, which is passed over. */
const named =
  /(\.(?:fields|labels)\.)([\p{L}_][\p{L}\p{Nd}_]*(?:-+[\p{L}\p{Nd}_]+)*)|(\bvalues\s+)("(?:\\.|[^"\\])*"|`[^`]*`)|"(?:\\.|[^"\\])*"|`[^`]*`/gu;

/** The replacement for a name, which is not in quotes in a path; `undefined`: the name itself. */
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

/** A field, or a part of it: `values "home.city"`. */
const isOf = (name: string, field: string) => name === field || name.startsWith(`${field}.`);

/** Whether a template names a field. */
export function mentions(template: string, field: string): boolean {
  let isFound = false;
  inTemplate(template, (name) => {
    isFound ||= isOf(name, field);
    return undefined;
  });
  return isFound;
}

/** Gives a field another name; `undefined` where the template cannot name it so. */
export function renamed(template: string, from: string, to: string): string | undefined {
  let isPossible = true;
  const made = inTemplate(template, (name, isPath) => {
    if (!isOf(name, from)) return undefined;
    const next = to + name.slice(from.length);
    isPossible &&= isPath ? isDotted(next) : !/["\\`\n]/.test(next);
    return next;
  });
  return isPossible ? made : undefined;
}
