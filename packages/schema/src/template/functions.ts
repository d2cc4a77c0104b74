/** The functions of templates: those of SPEC (Templating), and `code`. */
import { words } from '../suggestion.ts';
import type { Mentioned, Read } from '../template.ts';

type Text = Read<string>;
type List = Read<readonly string[]>;

export interface TemplateFunction {
  readonly name: string;
  /** Literals are known at load, other values when a form is submitted. */
  readonly parameters: readonly ('text' | 'list' | 'literal')[];
  readonly result: 'text' | 'list';
  readonly summary: string;
  /** Completes "<name> needs ...". */
  readonly literal?: string;
  /** Names that other languages use for it. */
  readonly aliases?: readonly string[];
  /** The kind of name that the literal is. */
  readonly reads?: Mentioned & ('fieldNames' | 'envNames' | 'defaults');
  /** Turns checked arguments, of the types of its parameters, into a reader for submissions. */
  readonly compile: (...values: never[]) => Text | List;
}

/** A function that makes a text of a text. */
const changing = (
  name: string,
  summary: string,
  change: (text: string) => string,
  aliases?: readonly string[],
): TemplateFunction => ({
  name,
  parameters: ['text'],
  result: 'text',
  summary,
  ...(aliases && { aliases }),
  compile: (value: Text) => (scope) => change(value(scope)),
});

export const functions: readonly TemplateFunction[] = [
  changing(
    'trim',
    'Trim leading and trailing whitespace.',
    (text) => text.trim(),
    words('strip trim_space trim_all squish'),
  ),
  changing(
    'lower',
    'Lowercase.',
    (text) => text.toLowerCase(),
    words('lowercase downcase to_lower to_lowercase strtolower lcase'),
  ),
  changing(
    'upper',
    'Uppercase.',
    (text) => text.toUpperCase(),
    words('uppercase upcase to_upper to_uppercase strtoupper ucase'),
  ),
  {
    name: 'default',
    aliases: words('or else coalesce fallback default_if_none default_to default_value'),
    parameters: ['literal', 'text'],
    result: 'text',
    summary: 'Replace an empty value with the text.',
    literal: 'the first value in quotes',
    reads: 'defaults',
    compile: (literal: string, value: Text) => (scope) => value(scope) || literal,
  },
  {
    name: 'env',
    aliases: words('getenv os_getenv environment environ env_var secret secrets'),
    parameters: ['literal'],
    result: 'text',
    summary: 'Environment variable; empty if unset.',
    literal: 'a name in quotes, so that a visitor cannot choose the variable',
    reads: 'envNames',
    compile: (name: string) => (scope) => scope.env(name) ?? '',
  },
  {
    name: 'values',
    aliases: words('all list field_values get_all'),
    parameters: ['literal'],
    result: 'list',
    summary: 'All submitted values of the named field, also empty ones.',
    literal: 'a field name in quotes',
    reads: 'fieldNames',
    compile: (name: string) => (scope) => scope.fields.get(name) ?? [],
  },
  {
    name: 'join',
    aliases: words('implode join_list list_join'),
    parameters: ['text', 'list'],
    result: 'text',
    summary: 'Join a list with a separator.',
    compile: (separator: Text, list: List) => (scope) => list(scope).join(separator(scope)),
  },
  changing(
    'code',
    'A Markdown code block, in which no `@mention`, command or markup has an effect. Put it on a line of its own.',
    indented,
  ),
];

/** Indents, because the content could close a fence. */
function indented(text: string): string {
  const lines = text.split(/\r\n?|\n/);
  const isEmpty = lines.every((line) => line === '');
  return isEmpty ? '' : `\n\n${lines.map((line) => `    ${line}`).join('\n')}\n`;
}
