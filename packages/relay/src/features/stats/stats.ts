import type { RelayResponse } from '../../base/http.ts';
import { late } from '../../base/late.ts';
import { finding } from '../../schema/finding.ts';
import { optional } from '../../schema/keys.ts';
import { flag, isWrittenTrue } from '../../schema/kinds.ts';
import { feature } from '../feature.ts';

export const statsParts = late(() => import('./stats_answers.ts'), 'stats');

/** Counts what happens to the form on pages, in the journal. */
export const stats = feature({
  name: 'stats',
  isForBrowsers: true,
  keys: {
    form: {
      stats: optional(
        'Whether the form’s script counts views, starts, steps and sends, per day in the `journal`, without anything about visitors (docs/journal.md#what-happens-on-pages).',
        flag(),
      ),
    },
  },
  settings: ({ form }: { readonly form: { readonly stats?: boolean } }) => form.stats || undefined,
  problems: ({ form, top }) =>
    isWrittenTrue(form.stats) && (top.journal === undefined || top.journal === null)
      ? [finding('stats_without_journal', ['stats'])]
      : [],
  answers: () => statsParts.loaded.statsAnswers,
  routes: [
    {
      name: 'stats',
      methods: 'POST',
      limit: { perSecond: 50, atOnce: 200, dropsMore: true },
      answer: async (call): Promise<RelayResponse> =>
        (await import('./take_stats.ts')).takeStats(call, stats.of),
    },
  ],
});
