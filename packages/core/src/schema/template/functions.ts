import { words } from '../suggestion.ts';
import type { Read } from '../template.ts';

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
  /** What other languages call it. */
  readonly aliases?: readonly string[];
  /** The template's mention to which the literal belongs. */
  readonly reads?: 'fieldNames' | 'envNames' | 'defaults';
  /** Turns checked arguments, of the types of its parameters, into a reader for submissions. */
  compile(values: readonly Values[ParameterType][]): Values[ResultType];
}

/** Checks each implementation against its declared types. Its function is a method, so that one list can hold all. */
function define<const P extends readonly ParameterType[], R extends ResultType>(
  entry: Omit<TemplateFunction, 'parameters' | 'result' | 'compile'> & {
    readonly parameters: P;
    readonly result: R;
    compile(values: { readonly [I in keyof P]: Values[P[I]] }): Values[R];
  },
): TemplateFunction {
  return entry;
}

/** All functions of templates: those of SPEC (Templating), and `code`. */
export const functions: readonly TemplateFunction[] = [
  define({
    name: 'trim',
    aliases: words('strip trim_space trim_all squish'),
    parameters: ['text'],
    result: 'text',
    summary: 'Trim leading and trailing whitespace.',
    compile:
      ([value]) =>
      (scope) =>
        value(scope).trim(),
  }),
  define({
    name: 'lower',
    aliases: words('lowercase downcase to_lower to_lowercase strtolower lcase'),
    parameters: ['text'],
    result: 'text',
    summary: 'Lowercase.',
    compile:
      ([value]) =>
      (scope) =>
        value(scope).toLowerCase(),
  }),
  define({
    name: 'upper',
    aliases: words('uppercase upcase to_upper to_uppercase strtoupper ucase'),
    parameters: ['text'],
    result: 'text',
    summary: 'Uppercase.',
    compile:
      ([value]) =>
      (scope) =>
        value(scope).toUpperCase(),
  }),
  define({
    name: 'default',
    aliases: words('or else coalesce fallback default_if_none default_to default_value'),
    parameters: ['literal', 'text'],
    result: 'text',
    summary: 'Use the literal when the value is empty.',
    literal: 'its first value in quotes',
    reads: 'defaults',
    compile:
      ([literal, value]) =>
      (scope) =>
        value(scope) || literal,
  }),
  define({
    name: 'env',
    aliases: words('getenv os_getenv environment environ env_var secret secrets'),
    parameters: ['literal'],
    result: 'text',
    summary: 'Value of the named environment variable; empty when there is none.',
    literal: 'a name in quotes, so that a visitor cannot choose the variable',
    reads: 'envNames',
    compile:
      ([name]) =>
      (scope) =>
        scope.env(name) ?? '',
  }),
  define({
    name: 'values',
    aliases: words('all list field_values get_all'),
    parameters: ['literal'],
    result: 'list',
    summary: 'List of all submitted values of the named field, empty ones too.',
    literal: 'a field name in quotes',
    reads: 'fieldNames',
    compile:
      ([name]) =>
      (scope) =>
        scope.fields.get(name) ?? [],
  }),
  define({
    name: 'join',
    aliases: words('implode join_list list_join'),
    parameters: ['text', 'list'],
    result: 'text',
    summary: 'Join a list with a separator.',
    compile:
      ([separator, list]) =>
      (scope) =>
        list(scope).join(separator(scope)),
  }),
  define({
    name: 'code',
    parameters: ['text'],
    result: 'text',
    summary:
      'A Markdown block in which nothing of the value has an effect: no `@mention`, no command, no markup. It needs a line of its own.',
    // Indents, because the content could close a fence.
    compile:
      ([value]) =>
      (scope) => {
        const lines = value(scope).split(/\r\n?|\n/);
        const isEmpty = lines.every((line) => line === '');
        return isEmpty ? '' : `\n\n${lines.map((line) => `    ${line}`).join('\n')}\n`;
      },
  }),
];
