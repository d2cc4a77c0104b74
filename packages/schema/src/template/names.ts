/** The functions of templates: those of SPEC (Templating), and `code`. */
import { isCalled, type Named, words } from '../suggestion.ts';
import type { Mentioned, Read, TemplateContext } from '../template.ts';

type Text = Read<string>;
type List = Read<readonly string[]>;

export interface TemplateFunction {
  readonly name: string;
  /** A literal is known when the config loads, other values only when a form is submitted. */
  readonly parameters: readonly ('text' | 'list' | 'literal')[];
  readonly result: 'text' | 'list';
  readonly summary: string;
  /** Completes "<name> needs ...". */
  readonly literal?: string;
  /** Names for it in other template languages. */
  readonly aliases?: readonly string[];
  /** The kind of thing that the literal names, for example a field. */
  readonly reads?: Mentioned & ('fieldNames' | 'envNames' | 'defaults');
  /** Turns arguments, checked against `parameters`, into a function that renders a submission. */
  readonly compile: (...values: never[]) => Text | List;
}

/** A function from text to text. */
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
    summary: 'All submitted values of the named field, including empty ones.',
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
    'A Markdown code block, in which `@mention`, commands and markup have no effect. Put it on a line of its own.',
    indented,
  ),
];

/** Indents rather than fences, because the content could close a fence. */
function indented(text: string): string {
  const lines = text.split(/\r\n?|\n/);
  const isEmpty = lines.every((line) => line === '');
  return isEmpty ? '' : `\n\n${lines.map((line) => `    ${line}`).join('\n')}\n`;
}

// Paths that templates can read from a submission, such as `.fields.name`.

interface Path extends Named {
  readonly summary: string;
  readonly mentions?: Mentioned;
  readonly read: Read<string>;
}

/** Paths without a name at their end, with the words that other template languages use for them. */
export const paths: readonly Path[] = [
  {
    name: '.form.id',
    summary: "The form's name.",
    aliases: words('form_name form_id form_title form_slug'),
    read: ({ formId }) => formId,
  },
  {
    name: '.submitted_at',
    summary: 'Time of arrival in UTC, such as `2030-12-31T23:59:59Z`.',
    aliases: words(
      'now today timestamp submitted created_at received_at current_time datetime submission_date',
    ),
    read: ({ submittedAt }) => submittedAt,
  },
  {
    name: '.page.url',
    summary:
      'Address of the page with the form, with `page: true`; empty if unknown. The visitor’s browser reports the address, so it can be forged.',
    aliases: words('page_url current_url page_address referrer referer http_referer source_url'),
    mentions: 'pagePaths',
    read: ({ page }) => page?.url ?? '',
  },
  {
    name: '.page.title',
    summary: 'Title of the page.',
    aliases: words('page_title'),
    mentions: 'pagePaths',
    read: ({ page }) => page?.title ?? '',
  },
];

/** Paths that end with a name, which may contain dots. */
export const namedPaths: readonly {
  readonly name: string;
  readonly summary: string;
  readonly mentions: Mentioned;
  readonly read: (context: TemplateContext, name: string) => string;
}[] = [
  {
    name: '.fields',
    summary: 'Submitted value; several are joined with `,`; empty if none.',
    mentions: 'fieldNames',
    read: ({ fields }, name) => fields.get(name)?.join(',') ?? '',
  },
  {
    name: '.labels',
    summary: 'Like `.fields`, with the labels of options; several are joined with `, `.',
    mentions: 'fieldNames',
    read: (scope, name) => scope.labels?.(name) ?? scope.fields.get(name)?.join(', ') ?? '',
  },
  {
    name: '.page.query',
    summary: 'Parameter in the page’s address, such as `.page.query.utm_source`.',
    mentions: 'pagePaths',
    read: ({ page }, name) => page?.query.get(name)?.join(',') ?? '',
  },
];

/** Whether a name that the owner chooses follows this path. */
export const isBeforeName = (path: string): boolean =>
  namedPaths.some(({ name }) => path === name || path.startsWith(`${name}.`));

/** The reader of a path and what the path mentions; `undefined` for unknown paths, which are always empty. */
export function pathReader(path: string): Omit<Path, 'summary'> | undefined {
  const named = namedPaths.find(({ name }) => path.startsWith(`${name}.`));
  if (!named) return paths.find(({ name }) => name === path);
  const { read, mentions } = named;
  const name = path.slice(named.name.length + 1);
  return { name: mentions === 'pagePaths' ? path : name, mentions, read: (context) => read(context, name) };
}

/** The path for which other template languages use this word. */
export const pathCalled = (word: string): string | undefined =>
  paths.find((one) => isCalled(one, word))?.name;
