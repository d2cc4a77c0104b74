import type { Listener } from '../../base/event.ts';
import type { Checked } from '../../base/submission.ts';
import type { Form, Keeper, Owed, World } from '../../form.ts';

/** Resolves with whether all that outputs owe of a submission is kept. */
export async function keepOwed(
  submission: Checked,
  owed: readonly Owed[],
  { form, tell, world, keeper }: Keep,
): Promise<boolean> {
  const livesOn = world.request.livesOn === true;
  const kept = await (await keeper()).keep({ form, submission, owed, tell, livesOn });
  if (!kept.ok) {
    tell({ kind: 'keep_failed', outputs: owed.map(({ output }) => output), error: kept.error });
    return false;
  }
  const { dueAt, deliver } = kept.value;
  for (const { output, why } of owed) {
    tell({ kind: 'delivery_kept', output, type: form.outputs[output]?.type ?? '', why, dueAt });
  }
  if (deliver) await world.afterwards(deliver);
  return true;
}

interface Keep {
  readonly form: Form;
  readonly tell: Listener;
  readonly world: World;
  readonly keeper: () => Promise<Keeper>;
}
