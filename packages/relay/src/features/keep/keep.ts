import type { FormKeep, Keep } from '../../base/kept.ts';
import { late, lateFunction } from '../../base/late.ts';
import { lateSchema } from '../../schema/keys.ts';
import { feature } from '../feature.ts';

/** Also what a form without it reads of a submission that is kept. */
export const keepParts = late(() => import('./keep_keys.ts'), 'keep', 'kept_message');
export const keepSchema = lateSchema(keepParts, (loaded) => loaded.keepSchema);

const keepOwed = lateFunction(late(async () => (await import('./keep_owed.ts')).keepOwed));

/** Keeps what outputs owe, and has it delivered later (D69). */
export const keep = feature({
  name: 'keep',
  settings: ({ form, top }: AskedOfKeep): FormKeep | undefined =>
    form.keep && top.keep && { what: form.keep, where: top.keep },
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
            // What could not be kept is answered like what could not be delivered, whatever bug is behind it.
            tell({ kind: 'broken', error });
            tell({ kind: 'keep_failed', outputs: owed.map(({ output }) => output), error: 'internal_error' });
            return false;
          }
        },
      };
    },
  }),
});

interface AskedOfKeep {
  readonly form: { readonly keep?: FormKeep['what'] };
  readonly top: { readonly keep?: Keep | undefined };
}
