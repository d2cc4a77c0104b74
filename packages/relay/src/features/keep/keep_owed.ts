import type { DeliveryError, Listener } from '../../base/event.ts';
import { err, type Result } from '../../base/result.ts';
import type { Checked } from '../../base/submission.ts';
import type { Form, Keeper, Keeping, KeepTask, Owed, World } from '../../form.ts';

/** Resolves with whether all that outputs owe of a submission is kept. Never rejects. */
export async function keepOwed(
  submission: Checked,
  owed: readonly Owed[],
  { form, tell, world, keeper }: Keep,
): Promise<boolean> {
  const livesOn = world.request.livesOn === true;
  const kept = await keep({ form, submission, owed, tell, livesOn }, keeper);
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

async function keep(task: KeepTask, keeper: Keep['keeper']): Promise<Result<Keeping, DeliveryError>> {
  try {
    return await (await keeper()).keep(task);
  } catch (error) {
    // What could not be kept is answered like what could not be delivered, whatever bug is behind it.
    task.tell({ kind: 'broken', error });
    return err('internal_error');
  }
}
