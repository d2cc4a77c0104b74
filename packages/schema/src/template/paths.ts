/** The paths that templates can read from a submission, such as `.fields.name`. */
import { isCalled, type Named, words } from '../suggestion.ts';
import type { Mentioned, Read, TemplateContext } from '../template.ts';

interface Path extends Named {
  readonly summary: string;
  readonly mentions?: Mentioned;
  readonly read: Read<string>;
}

/** The paths that are one word each, and what other template languages call them. */
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
      'Address of the page with the form, with `page: true`; empty if unknown. The visitor’s browser reports it, which proves nothing.',
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

/** Paths that end with a name. The name may have dots, too. */
export const namedPaths: readonly {
  readonly name: string;
  readonly summary: string;
  readonly mentions: Mentioned;
  readonly read: (context: TemplateContext, name: string) => string;
}[] = [
  {
    name: '.fields',
    summary: 'Submitted value; several joined with `,`; empty if none.',
    mentions: 'fieldNames',
    read: ({ fields }, name) => fields.get(name)?.join(',') ?? '',
  },
  {
    name: '.labels',
    summary: 'The same with the labels of options; several joined with `, `.',
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

/** Whether names of the owner's follow this path. */
export const isBeforeName = (path: string): boolean =>
  namedPaths.some(({ name }) => path === name || path.startsWith(`${name}.`));

/** The reader of a path, with what a template that has it mentions; `undefined` for paths that are always empty. */
export function pathReader(path: string): Omit<Path, 'summary'> | undefined {
  const named = namedPaths.find(({ name }) => path.startsWith(`${name}.`));
  if (!named) return paths.find(({ name }) => name === path);
  const { read, mentions } = named;
  const name = path.slice(named.name.length + 1);
  return { name: mentions === 'pagePaths' ? path : name, mentions, read: (context) => read(context, name) };
}

/** The path that other template languages call by this word. */
export const pathCalled = (word: string): string | undefined =>
  paths.find((one) => isCalled(one, word))?.name;
