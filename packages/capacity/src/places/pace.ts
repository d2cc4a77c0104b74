/**
 * When answers come, so that their time tells nobody whether an address was new: all come as late as the slowest of the recent
 * deliveries. The store of the counts remembers it, for a process that has delivered nothing yet.
 */
import type { Submission } from '@form-relay/core/index';
import { ClientError } from '@form-relay/core/kit';
import type { Counters } from '../counters/index.ts';
import { nameInStore } from '../names.ts';

/** In milliseconds: how long answers take, from arrival on, and when a delivery said so. */
interface Pace {
  readonly ms: number;
  readonly at: number;
}

/** Answers a delivery, after it has slowed the pace if it was slow. */
export async function answerDelivery(counters: Counters, submission: Submission): Promise<void> {
  const now = submission.services.now();
  const ms = Math.max(leastMs, Math.ceil((now - submission.receivedAt + roomMs) / stepMs) * stepMs);
  await answerInPace(counters, submission, (before) =>
    ms > before.ms || now - before.at > recentMs ? { ms, at: now } : before,
  );
}

/** Answers when a delivery would have been answered. */
export async function answerInPace(
  counters: Counters,
  { formId, receivedAt, deadline, services }: Submission,
  next = (before: Pace): Pace => before,
): Promise<void> {
  let pace: Pace = { ms: leastMs, at: 0 };
  try {
    const counter = await counters.counter(services);
    await counter.change(`pace/${nameInStore(formId)}`, (text) => {
      const before = read(text);
      pace = next(before);
      return pace === before ? text : `${pace.ms} ${pace.at}`;
    });
  } catch (error) {
    // What was delivered is answered all the same.
    if (!(error instanceof ClientError)) throw error;
  }
  const leftMs = Math.min(receivedAt + pace.ms, deadline) - services.now();
  if (leftMs > 0) await services.sleep(leftMs);
}

function read(text = ''): Pace {
  const [, ms, at] = /^(\d+) (\d+)$/.exec(text) ?? [];
  return ms === undefined ? { ms: leastMs, at: 0 } : { ms: Number(ms), at: Number(at) };
}

/** Most deliveries take less, with a new connection, too. */
const leastMs = 1_000;

/** Deliveries differ by as much, such as the first one of a process. */
const roomMs = 250;
const stepMs = 500;

/** After it, a faster delivery quickens the pace again. */
const recentMs = 600_000;
