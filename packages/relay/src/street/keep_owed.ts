import type { DeliveryError, Listener } from '../base/event.ts';
import { err, type Result } from '../base/result.ts';
import type { Form } from '../form.ts';
import type { KeepOwed } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import type { Keeping, KeepTask } from './keeper.ts';

/** How a form's deliveries are kept; `undefined` where they are not. */
export function keepFor(form: Form, tell: Listener, exchange: Exchange): KeepOwed | undefined {
  const { request, keeper } = exchange;
  if (!form.keep || !keeper) return undefined;
  return async (submission, owed) => {
    const livesOn = request.livesOn === true;
    const kept = await keep({ form, submission, owed, tell, livesOn }, keeper);
    if (!kept.ok) {
      tell({ kind: 'keep_failed', outputs: owed.map(({ output }) => output), error: kept.error });
      return false;
    }
    const { dueAt, deliver } = kept.value;
    for (const { output, why } of owed) {
      tell({ kind: 'delivery_kept', output, type: form.outputs[output]?.type ?? '', why, dueAt });
    }
    if (deliver) await exchange.afterwards(deliver);
    return true;
  };
}

async function keep(
  task: KeepTask,
  keeper: NonNullable<Exchange['keeper']>,
): Promise<Result<Keeping, DeliveryError>> {
  try {
    return await (await keeper()).keep(task);
  } catch (error) {
    // What could not be kept is answered like what could not be delivered, whatever bug is behind it.
    task.tell({ kind: 'broken', error });
    return err('internal_error');
  }
}
