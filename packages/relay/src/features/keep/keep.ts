import type { FormKeep, Keep } from '../../base/kept.ts';
import { feature, late } from '../feature.ts';

const keepOwed = late(
  () => import('./keep_owed.ts'),
  (loaded) => loaded.keepOwed,
);

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
