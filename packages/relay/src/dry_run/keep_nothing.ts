import type { Effects } from '../base/effects.ts';
import { ok } from '../base/result.ts';
import type { Keeper } from '../form.ts';
import { scopeOf } from '../schema/template/scope.ts';
import { deliverTo } from '../street/deliver.ts';
import type { Transports } from '../transports/index.ts';

/** Stores and retries nothing. What a relay delivers after the answer is delivered before it, so that its story has it. */
export const keepNothing = (effects: Effects, transports: Transports): Keeper => ({
  keep: async ({ form, submission, owed, tell }) => {
    const scope = scopeOf(form.id, submission, effects, form.fields);
    for (const { output: index, why } of owed) {
      const output = form.outputs[index];
      if (!output || why !== undefined) continue;
      await deliverTo(output, index, submission, scope, { form, effects, transports, tell });
    }
    return ok({ dueAt: effects.now() });
  },
});
