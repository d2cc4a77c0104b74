import { late } from '../../base/late.ts';
import { fieldsForLater } from '../../fields/kept.ts';
import { finding } from '../../schema/finding.ts';
import { optional } from '../../schema/keys.ts';
import { duration } from '../../schema/kinds.ts';
import { feature } from '../feature.ts';

export const rememberParts = late(() => import('./remember_answers.ts'), 'remember');

/** The visitor's browser keeps what was typed, and offers it again (docs/saving-for-later.md). */
export const remember = feature({
  name: 'remember',
  isForBrowsers: true,
  keys: {
    form: {
      remember: optional(
        'How long the visitor’s browser keeps what was typed until the form is sent, such as `7d`, and offers it to a visitor who comes back. Needs the form’s script or a page of the relay’s (docs/saving-for-later.md).',
        duration({ hasDays: true, leastMs: 60_000, mostMs: 365 * 86_400_000 }),
      ),
    },
  },
  settings: ({ form }: { readonly form: { readonly remember?: number | undefined } }) => form.remember,
  warnings: (_, { fields }) =>
    fieldsForLater(fields).length > 0 ? [] : [finding('remember_nothing', ['remember'])],
  answers: (ms) => rememberParts.loaded.rememberAnswers(ms),
});
