import type { Listener } from '@form-relay/relay/base/event';
import type { Store } from '@form-relay/relay/base/kept';
import { pretendedTransports } from '@form-relay/relay/dry_run/pretended_transports';
import { reasonOf } from '@form-relay/relay/keeping/reason';
import { type Message, transportOf } from '@form-relay/relay/transports';
import type { Mask, Shown } from '@form-relay/relay/transports/transport';
import { type Delivering, deliverNow, type Ending, planOf, type TellEnding, wantedBy } from './deliver.ts';
import { outputInWords } from './owed_output.ts';
import { readListed } from './read_kept.ts';

/** What would become of one, and what would be sent. */
export interface Rehearsed extends Ending {
  readonly sent: readonly Shown[];
}

/**
 * As `deliverKept`, but that nothing is sent, and nothing in the store changes.
 *
 * @param mask Hides what the config's templates read from the environment.
 */
export async function pretendToDeliver(
  store: Store,
  world: Delivering,
  mask: Mask,
  tell: TellEnding<Rehearsed>,
): Promise<void> {
  const { config, effects, keys, isChosen, isStopped, output, transports: real } = world;
  const pretending = { faultOf: () => undefined, isDelivering: false };
  const pretended = { effects, transports: pretendedTransports(real, pretending, effects) };
  for await (const one of store.list()) {
    if (isStopped()) return;
    if (!isChosen(one)) continue;
    const { kept } = one;
    const plan = planOf(one, config, effects, keys, output);
    const read = plan.ok ? wantedBy(plan.value, await readListed(one, keys)) : plan;
    if (!plan.ok || !read.ok) {
      const reason = plan.ok ? (read.ok ? '' : read.error) : plan.error;
      tell({ kept, result: 'left', reason, to: kept.output.type, sent: [] });
      continue;
    }
    const messages: Message[] = [];
    const note: Listener = (event) => {
      if (event.kind === 'delivery_tried') messages.push(event.message as Message);
    };
    const error = await deliverNow(kept, plan.value, read.value, pretended, note);
    const sent = await Promise.all(messages.map((message) => transportOf(real, message).show(message, mask)));
    const reason = reasonOf(error)?.words;
    const to = outputInWords(plan.value);
    tell(
      error
        ? { kept, result: 'failed', reason: reason ?? '', to, sent }
        : { kept, result: 'delivered', to, sent },
    );
  }
}
