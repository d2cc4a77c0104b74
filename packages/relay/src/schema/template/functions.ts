import type { Read } from './render.ts';

/** A parameter's type: literals are known at load, others when a form is submitted. */
export type ParameterType = 'text' | 'list' | 'literal';
export type ResultType = 'text' | 'list';

interface Values {
  text: Read<string>;
  list: Read<readonly string[]>;
  literal: string;
}

export interface TemplateFunction {
  readonly name: string;
  readonly parameters: readonly ParameterType[];
  readonly result: ResultType;
  readonly summary: string;
  /** Completes "<name> needs ...". */
  readonly literal?: string;
  /** The template's mention to which the literal belongs. */
  readonly reads?: 'fieldNames' | 'envNames' | 'defaults';
  /** Turns checked arguments into a reader for submissions. */
  readonly compile: (...values: never[]) => Values[ResultType];
}

/** Checks each implementation against its declared types. */
function define<const P extends readonly ParameterType[], R extends ResultType>(
  entry: Omit<TemplateFunction, 'parameters' | 'result' | 'compile'> & {
    readonly parameters: P;
    readonly result: R;
    readonly compile: (...values: { [I in keyof P]: Values[P[I]] }) => Values[R];
  },
): TemplateFunction {
  return entry as TemplateFunction;
}

/** All functions of templates: those of SPEC (Templating), and `code`. */
export const functions: readonly TemplateFunction[] = [
  define({
    name: 'trim',
    parameters: ['text'],
    result: 'text',
    summary: 'Trim leading and trailing whitespace.',
    compile: (value) => (scope) => value(scope).trim(),
  }),
  define({
    name: 'lower',
    parameters: ['text'],
    result: 'text',
    summary: 'Lowercase.',
    compile: (value) => (scope) => value(scope).toLowerCase(),
  }),
  define({
    name: 'upper',
    parameters: ['text'],
    result: 'text',
    summary: 'Uppercase.',
    compile: (value) => (scope) => value(scope).toUpperCase(),
  }),
  define({
    name: 'default',
    parameters: ['literal', 'text'],
    result: 'text',
    summary: 'Use the literal when the value is empty.',
    literal: 'its first value in quotes',
    reads: 'defaults',
    compile: (literal, value) => (scope) => value(scope) || literal,
  }),
  define({
    name: 'env',
    parameters: ['literal'],
    result: 'text',
    summary: 'Value of the named environment variable; empty when there is none.',
    literal: 'a name in quotes, so that a visitor cannot choose the variable',
    reads: 'envNames',
    compile: (name) => (scope) => scope.env(name) ?? '',
  }),
  define({
    name: 'values',
    parameters: ['literal'],
    result: 'list',
    summary: 'List of all submitted values of the named field, empty ones too.',
    literal: 'a field name in quotes',
    reads: 'fieldNames',
    compile: (name) => (scope) => scope.fields.get(name) ?? [],
  }),
  define({
    name: 'join',
    parameters: ['text', 'list'],
    result: 'text',
    summary: 'Join a list with a separator.',
    compile: (separator, list) => (scope) => list(scope).join(separator(scope)),
  }),
  define({
    name: 'code',
    parameters: ['text'],
    result: 'text',
    summary:
      'A Markdown block in which nothing of the value has an effect: no `@mention`, no command, no markup. It needs a line of its own.',
    // Indents, because the content could close a fence.
    compile: (value) => (scope) => {
      const lines = value(scope).split(/\r\n?|\n/);
      const isEmpty = lines.every((line) => line === '');
      return isEmpty ? '' : `\n\n${lines.map((line) => `    ${line}`).join('\n')}\n`;
    },
  }),
];
