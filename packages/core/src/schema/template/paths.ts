/** What templates can read of a submission: paths such as `.fields.name`. */
import { isCalled, type Named, words } from '../suggestion.ts';
import type { Mentions, Read } from '../template.ts';

/** The paths that are one word each, and what other template languages call them. */
export const paths: readonly (Named & { readonly summary: string; readonly read: Read<string> })[] = [
  {
    name: '.form.id',
    summary: "The form's name.",
    aliases: words('form_name form_id form_title form_slug'),
    read: ({ formId }) => formId,
  },
  {
    name: '.submitted_at',
    summary: 'When the relay received it: UTC, such as `2030-12-31T23:59:59Z`.',
    aliases: words(
      'now today timestamp submitted created_at received_at current_time datetime submission_date',
    ),
    read: ({ submittedAt }) => submittedAt,
  },
  {
    name: '.page.url',
    summary:
      'The address of the page on which it was filled in, in a form with `page: true`; empty when unknown. As the visitor’s browser says, which is no proof.',
    aliases: words('page_url current_url page_address referrer referer http_referer source_url'),
    read: ({ page }) => page?.url ?? '',
  },
  {
    name: '.page.title',
    summary: 'The title of that page, in a form with `page: true`.',
    aliases: words('page_title'),
    read: ({ page }) => page?.title ?? '',
  },
];

/** Paths that end with a name. The name may have dots, too. */
export const namedPaths: readonly {
  readonly name: string;
  readonly summary: string;
  readonly read: (name: string) => Read<string>;
}[] = [
  {
    name: '.fields',
    summary: 'What was submitted for the field; several values joined with `,`; empty when nothing was.',
    read:
      (name) =>
      ({ fields }) =>
        fields.get(name)?.join(',') ?? '',
  },
  {
    name: '.labels',
    summary:
      'The same in the words that visitors read: the labels of options instead of their values; several joined with `, `.',
    read: (name) => (scope) => scope.labels?.(name) ?? scope.fields.get(name)?.join(', ') ?? '',
  },
  {
    name: '.page.query',
    summary:
      'A value of that address, such as `.page.query.utm_source`; several joined with `,`. In a form with `page: true`.',
    read:
      (name) =>
      ({ page }) =>
        page?.query.get(name)?.join(',') ?? '',
  },
];

/** Whether names of the owner's follow this path. */
export const isBeforeName = (path: string): boolean =>
  namedPaths.some(({ name }) => path === name || path.startsWith(`${name}.`));

/** What a path reads, and what a template that has it mentions; `undefined` for paths that are always empty. */
export function pathReader(
  path: string,
): { readonly read: Read<string>; readonly mentions?: keyof Mentions; readonly name: string } | undefined {
  const single = paths.find(({ name }) => name === path);
  if (single)
    return { read: single.read, name: path, ...(path.startsWith('.page') && { mentions: 'pagePaths' }) };
  const named = namedPaths.find(({ name }) => path.startsWith(`${name}.`));
  if (!named) return undefined;
  const name = path.slice(named.name.length + 1);
  if (named.name === '.page.query') return { read: named.read(name), name: path, mentions: 'pagePaths' };
  return { read: named.read(name), name, mentions: 'fieldNames' };
}

/** The path that other template languages call by this word. */
export const pathCalled = (word: string): string | undefined =>
  paths.find((one) => isCalled(one, word))?.name;
