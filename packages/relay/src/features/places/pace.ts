/** When answers come, so that their time tells nobody whether an address was new. */
import type { Checked } from '../../base/submission.ts';
import type { Form, World } from '../../form.ts';

type Timed = Pick<Checked, 'receivedAt' | 'deadline'>;

/** Remembers how long a delivery took. If it was quick, its answer waits, too. */
export async function noteDelivery({ id }: Form, submission: Timed, world: World): Promise<void> {
  const ms = world.effects.now() - submission.receivedAt;
  const recent = recentOf(world);
  recent.set(id, [...(recent.get(id) ?? []), ms].slice(-mostRecent));
  await sleepUntil(leastMs, submission, world);
}

/** Answers when a delivery could have ended. */
export async function answerLate({ id }: Form, submission: Timed, world: World): Promise<void> {
  const recent = recentOf(world).get(id) ?? [];
  const ms = recent[Math.floor(world.effects.random() * recent.length)] ?? 0;
  await sleepUntil(Math.max(leastMs, ms), submission, world);
}

async function sleepUntil(ms: number, { receivedAt, deadline }: Timed, { effects }: World): Promise<void> {
  const leftMs = Math.min(receivedAt + ms, deadline) - effects.now();
  if (leftMs > 0) await effects.sleep(leftMs);
}

/** Most deliveries take less, with a new connection, too. */
const leastMs = 1_000;

/** From arrival on, in milliseconds, by form. */
const recentOf = ({ memory }: World): Map<string, readonly number[]> =>
  memory.late('recent deliveries', () => new Map<string, readonly number[]>());

const mostRecent = 5;
