import { linkField } from '../api_urls.ts';
import { late } from '../base/late.ts';
import { pageContextOf, pageFields } from '../base/page_context.ts';
import type { FormOutput } from '../form.ts';
import { finding } from '../schema/finding.ts';
import { withDefault } from '../schema/keys.ts';
import { flag, isWrittenTrue } from '../schema/kinds.ts';
import { feature } from './feature.ts';

export const pageParts = late(() => import('./page_answers.ts'), 'page');

/** Asks for the page on which the form is filled in. */
export const page = feature({
  name: 'page',
  keys: {
    form: {
      page: withDefault(
        'false',
        'Whether the form asks for the page on which it is filled in, for `.page.url` and the like in [templates](#templates). Its address may hold personal data (docs/page.md).',
        flag(),
      ),
    },
  },
  settings: ({ form }: { readonly form: { readonly page: boolean } }) => form.page || undefined,
  names: () => Object.values(pageFields),
  reserves: ({ form }) =>
    isWrittenTrue(form.page) ? Object.values(pageFields).map((name) => ({ name, check: 'page' })) : [],
  warnings: (_, { outputs }) => (outputs.some(mayReadPage) ? [] : [finding('page_unread', ['page'])]),
  answers: () => pageParts.loaded.pageAnswers,
  stages: (_, features) => {
    // Whoever has the link can read what is in it.
    const leftOut = features.has('filled_link') ? linkField : undefined;
    return {
      read: (sent, { headers }, { allowedOrigins }) => pageContextOf(sent, headers, allowedOrigins, leftOut),
    };
  },
});

/** A body of its own, or a message for people, has the page in it without naming it. */
const mayReadPage = ({ message, sendsOfItself, templates }: FormOutput) =>
  !message ||
  sendsOfItself ||
  templates.some(({ template: { pagePaths, unknownPaths } }) =>
    // A misspelt path has a warning of its own.
    [...pagePaths, ...unknownPaths].some((path) => path.startsWith('.page')),
  );
