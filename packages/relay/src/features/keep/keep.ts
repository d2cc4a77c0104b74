import type { FormKeep, Keep } from '../../base/kept.ts';
import { late, lateFunction } from '../../base/late.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { lateSchema, optional, perLanguage } from '../../schema/keys.ts';
import { choice, isMap, text } from '../../schema/kinds.ts';
import { feature } from '../feature.ts';

/** Also what a form without it reads of a submission that is kept. */
export const keepParts = late(() => import('./keep_keys.ts'), 'keep', 'kept_message');
export const keepSchema = lateSchema(keepParts, (loaded) => loaded.keepSchema);

const keepOwed = lateFunction(late(async () => (await import('./keep_owed.ts')).keepOwed));

/** Keeps what outputs owe, and has it delivered later. */
export const keep = feature({
  name: 'keep',
  keys: {
    form: {
      keep: optional(
        'Keeps what outputs owe, where the `keep` at the top of the file says: what could not be delivered (`failed`); or all of it before anything is delivered, so that no visitor waits for an output (`always`).',
        choice(['failed', 'always']),
      ),
      kept_message: optional(
        'What the visitor reads instead of `confirmation` where the submission was kept and is delivered later. It may hold links.',
        perLanguage(text()),
      ),
    },
  },
  settings: ({ form, top }: AskedOfKeep): FormKeep | undefined =>
    form.keep && top.keep && { what: form.keep, where: top.keep },
  problems: ({ form, top }) => keepProblems(form.keep, top.keep),
  // A drop must look like what is kept first.
  answers: ({ what }) => ({
    dropsAs: ({ outputs }) =>
      what === 'always' && outputs.some(({ on_error }) => on_error === 'fail') ? 'kept' : undefined,
  }),
  stages: ({ what }) => ({
    owed: (form, tell, world) => {
      const { keeper } = world;
      if (!keeper) return undefined;
      return {
        all: what === 'always',
        keep: async (submission, owed) => {
          try {
            return await keepOwed(submission, owed, { form, tell, world, keeper });
          } catch (error) {
            // Answer as if the delivery had failed, whatever bug is behind it.
            tell({ kind: 'broken', error });
            tell({ kind: 'keep_failed', outputs: owed.map(({ output }) => output), error: 'internal_error' });
            return false;
          }
        },
      };
    },
  }),
});

/** Whether kept deliveries wait in a queue, which cannot count. @param written The config's `keep`, as it is written. */
export const keepsInQueue = (written: unknown): boolean =>
  isMap(written) && /^(sqs|queue):/i.test(String(written.in));

interface AskedOfKeep {
  readonly form: { readonly keep?: FormKeep['what'] };
  readonly top: { readonly keep?: Keep | undefined };
}

const isWritten = (value: unknown) => value !== undefined && value !== null;

/** @param keep The key at the top, as `what` as written. */
function keepProblems(what: unknown, keep: unknown): readonly Finding[] {
  if (!isWritten(what)) return [];
  return isWritten(keep) ? [] : [finding('keep_nowhere', ['keep'])];
}
