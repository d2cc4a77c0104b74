import { late } from '../../base/late.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { optional } from '../../schema/keys.ts';
import { duration } from '../../schema/kinds.ts';
import { isArchive } from '../archive.ts';
import { feature, mapOrNothing, type RawMap } from '../feature.ts';

export const keepDroppedParts = late(() => import('./keep_turned_away.ts'), 'keep_dropped');

/** Stores what checks turned away, for the owner. The setting is for how long, in milliseconds. */
export const keepDropped = feature({
  name: 'keep_dropped',
  keys: {
    spamAndTop: {
      keep_dropped: optional(
        'For how long submissions that a check turned away are kept for you, with the reason: in the folder `.dropped` of the form’s first `folder` or `s3` output. Visitors see no difference (docs/spam.md#what-was-turned-away).',
        duration({ leastMs: 24 * 3_600_000, hasDays: true }),
      ),
    },
  },
  settings: ({ guards }: { readonly guards: { readonly keep_dropped?: number } }): number | undefined =>
    guards.keep_dropped,
  problemsAtTop: (config) => withoutArchive(config),
  stages: () => ({
    turnedAway: (turned) => {
      try {
        return keepDroppedParts.loaded.keepTurnedAway(turned);
      } catch (error) {
        // Answer as ever, whatever bug is behind it.
        turned.passage.tell({ kind: 'broken', error });
        return undefined;
      }
    },
  }),
});

/** Forms that have no archive to keep anything in. @param config As written. */
function withoutArchive(config: RawMap): readonly Finding[] {
  const everywhere = mapOrNothing(config.spam).keep_dropped;
  return Object.entries(mapOrNothing(config.forms)).flatMap(([id, form]) => {
    const { outputs, spam } = mapOrNothing(form);
    const own = mapOrNothing(spam).keep_dropped;
    if ((own ?? everywhere) === undefined || !Array.isArray(outputs)) return [];
    if (outputs.some(isArchive)) return [];
    const path = ['spam', 'keep_dropped'];
    return [finding('keep_dropped_nowhere', own === undefined ? path : ['forms', id, ...path], { form: id })];
  });
}
