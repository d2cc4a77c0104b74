/** Outputs that accept, refuse, delay, hang up and disappear; they record what they accepted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { between, chance } from './chance.ts';
import { planOf, stuckForm } from './inbox_plan.ts';
import { type SinkAnswer, startSink } from './listener.ts';
import { repeat } from './loop.ts';

export type Sinks = Awaited<ReturnType<typeof openSinks>>;

export async function openSinks(seed: number, outageEveryMs: number) {
  /** When each submission was last accepted, by its number. */
  const taken = new Map<number, number>();
  /** The submissions' ids, by number. */
  const ids = new Map<number, Set<string>>();
  const tries = new Map<number, number>();
  let isHealed = false;
  let isOut = false;
  let outages = 0;
  const take: SinkAnswer = async (request, read) => {
    if (isOut && !isHealed) return 'hang up';
    const n = Number(new URLSearchParams(await read()).get('n'));
    const id = String(request.headers['idempotency-key']).replace(/-\d+$/, '');
    ids.set(n, (ids.get(n) ?? new Set()).add(id));
    const count = (tries.get(n) ?? 0) + 1;
    tries.set(n, count);
    const at = chance(seed, n, 5, count);
    const { refused = 0, form } = planOf(seed, n);
    if (count <= refused) {
      if (refused !== Infinity && at < 0.3) return 'hang up';
      // A refusal that no retry can change, so the delivery waits for its owner.
      return form === stuckForm && chance(seed, n, 4) < 0.5 ? 400 : 503;
    }
    // Some answers come after the relay has given up.
    if (!isHealed && at < 0.1) await sleep(at < 0.01 ? 3_000 : 300);
    if (request.socket.destroyed) return 'hang up';
    taken.set(n, performance.now());
    return 200;
  };
  const [hook, stuck] = [await startSink(take), await startSink(take)];
  const ports = { hook: hook.port, stuck: stuck.port };
  const failing = repeat(
    (count) => outageEveryMs * between(0.5, 1.5, chance(seed, -1, count)),
    async (count) => {
      isOut = true;
      outages += 1;
      hook.cut();
      await failing.pause(outageEveryMs * between(0.05, 0.2, chance(seed, -2, count)));
      isOut = false;
    },
  );
  /** From now on, everything deliverable is accepted. */
  const heal = () => {
    isHealed = true;
    return failing.end();
  };
  return {
    ports,
    taken,
    ids,
    get outages() {
      return outages;
    },
    heal,
    close: async () => {
      await heal();
      await Promise.all([hook.close(), stuck.close()]);
    },
  };
}
