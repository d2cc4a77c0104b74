/** Outputs that take, refuse, dawdle, hang up and go away; they note what they took. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { between, chance } from './chance.ts';
import { planOf, stuckForm } from './inbox_plan.ts';
import { listenLow } from './listener.ts';

export interface Sinks {
  readonly ports: { readonly hook: number; readonly stuck: number };
  /** When each submission was taken, by its number; the last time. */
  readonly taken: ReadonlyMap<number, number>;
  /** The submissions' ids, by number. */
  readonly ids: ReadonlyMap<number, ReadonlySet<string>>;
  readonly outages: number;
  /** From now on all that can be delivered is taken. */
  heal(): void;
  close(): void;
}

export async function openSinks(seed: number, outageEveryMs: number): Promise<Sinks> {
  const taken = new Map<number, number>();
  const ids = new Map<number, Set<string>>();
  const tries = new Map<number, number>();
  let isHealed = false;
  let isOut = false;
  let outages = 0;
  const server = () =>
    createServer(async (request, response) => {
      if (isOut && !isHealed) return request.socket.destroy();
      let body = '';
      try {
        for await (const piece of request) body += piece;
      } catch {
        return;
      }
      const n = Number(new URLSearchParams(body).get('n'));
      const id = String(request.headers['idempotency-key']).replace(/-\d+$/, '');
      ids.set(n, (ids.get(n) ?? new Set()).add(id));
      const count = (tries.get(n) ?? 0) + 1;
      tries.set(n, count);
      const at = chance(seed, n, 5, count);
      const { refused = 0, form } = planOf(seed, n);
      if (count <= refused) {
        // A refusal that no retry would change waits for its owner.
        const status = form === stuckForm && chance(seed, n, 4) < 0.5 ? 400 : 503;
        if (refused !== Infinity && at < 0.3) return response.destroy();
        return response.writeHead(status).end('no');
      }
      // Some after the relay gave up.
      if (!isHealed && at < 0.1) await sleep(at < 0.01 ? 3_000 : 300);
      if (response.destroyed) return;
      taken.set(n, performance.now());
      response.writeHead(200).end('ok');
    });
  const [hook, stuck] = [server(), server()];
  const ports = { hook: await listenLow(hook), stuck: await listenLow(stuck) };
  void (async () => {
    for (let count = 0; !isHealed; count += 1) {
      await sleep(outageEveryMs * between(0.5, 1.5, chance(seed, -1, count)));
      if (isHealed) return;
      isOut = true;
      outages += 1;
      hook.closeAllConnections();
      await sleep(outageEveryMs * between(0.05, 0.2, chance(seed, -2, count)));
      isOut = false;
    }
  })();
  return {
    ports,
    taken,
    ids,
    get outages() {
      return outages;
    },
    heal() {
      isHealed = true;
    },
    close() {
      isHealed = true;
      for (const one of [hook, stuck]) {
        one.close();
        one.closeAllConnections();
      }
    },
  };
}
