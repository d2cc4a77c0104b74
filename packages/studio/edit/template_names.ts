/** Names of fields in templates: `.fields.name`, `.labels.name` and `values "name"` between braces. */

/** A name that `.fields.` of a template can hold (packages/core/src/schema/template/cursor.ts); others go through `values`. */
export const isDotted = (name: string) => /^[\p{L}_][\p{L}\p{Nd}_]*(?:-+[\p{L}\p{Nd}_]+)*$/u.test(name);

/** An action with its braces; quoted text in it may hold braces of its own. */
const action = /\{\{(?:"(?:\\.|[^"\\])*"|`[^`]*`|(?!\}\})[^"`])*\}\}/gs;
/** A path, a call of `values`, or quoted text, which is passed over. */
const named =
  /(\.(?:fields|labels)\.)([\p{L}_][\p{L}\p{Nd}_]*(?:-+[\p{L}\p{Nd}_]+)*)|(\bvalues\s+)("(?:\\.|[^"\\])*"|`[^`]*`)|"(?:\\.|[^"\\])*"|`[^`]*`/gu;

/** Replaces each name by what `change` makes of it; `isPath` where it is not in quotes. */
const changed = (template: string, change: (name: string, isPath: boolean) => string) =>
  template.replace(action, (whole) =>
    whole.startsWith('{{/*')
      ? whole
      : whole.replace(
          named,
          (found: string, path?: string, name?: string, call?: string, quoted?: string) => {
            if (path !== undefined && name !== undefined) return path + change(name, true);
            if (call === undefined || quoted === undefined) return found;
            const [quote = '"', text] = [quoted[0], quoted.slice(1, -1)];
            return call + quote + change(text, false) + quote;
          },
        ),
  );

/** A field, or a part of it: `values "home.city"`. */
const isOf = (name: string, field: string) => name === field || name.startsWith(`${field}.`);

/** Whether a template names a field. */
export function mentions(template: string, field: string): boolean {
  let isFound = false;
  changed(template, (name) => {
    isFound ||= isOf(name, field);
    return name;
  });
  return isFound;
}

/** The template with another name for a field; `undefined` where no template can name it so. */
export function renamed(template: string, from: string, to: string): string | undefined {
  let isPossible = true;
  const text = changed(template, (name, isPath) => {
    if (!isOf(name, from)) return name;
    isPossible &&= isPath ? isDotted(to) : !/["\\`\n]/.test(to);
    return to + name.slice(from.length);
  });
  return isPossible ? text : undefined;
}
