import type { Field } from '../fields/field.ts';
import type { Scope } from '../template/render.ts';

/** Controls that take more than one line. */
const takesLines = ['textarea', 'hidden'];

/**
 * What a template of several lines sees: a browser sends no line break from a field of one line, and one that somebody else
 * sends would begin a line that looks like the owner's.
 */
export function withLinesOfFields(scope: Scope, fields: readonly Field[]): Scope {
  const short = new Set(fields.filter(({ type }) => !takesLines.includes(type)).map(({ name }) => name));
  const { formId, submittedAt, page, env } = scope;
  return {
    ...{ formId, submittedAt, page, env },
    fields: new Map(
      [...scope.fields].map(([name, values]) => [name, short.has(name) ? values.map(inOneLine) : values]),
    ),
    labels: (name) => {
      const words = scope.labels?.(name) ?? scope.fields.get(name)?.join(', ') ?? '';
      return short.has(name) ? inOneLine(words) : words;
    },
  };
}

const inOneLine = (text: string) => text.replaceAll(/[\n\r\v\f\x85\u2028\u2029]+/g, ' ');
