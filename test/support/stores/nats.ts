import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Keep, Store } from '../../../packages/relay/src/base/kept.ts';
import { claimMs } from '../../../packages/relay/src/keeping/stores/nats/stream.ts';
import { openNats } from '../../../packages/relay/src/keeping/stores/nats.ts';
import { hasNats, startNats, startWire, type Wire } from '../nats.ts';
import type { Subject } from './place.ts';

export const natsKeep = (port: number, stream = 'kept', isTls = false): Keep => ({
  in: {
    kind: 'nats',
    name: `nats://127.0.0.1:${port}/${stream}`,
    servers: [`127.0.0.1:${port}`],
    stream,
    isTls,
  },
  forMs: 14 * 86_400_000,
  // biome-ignore lint/suspicious/noThenProperty: as the config has it.
  then: 'aside',
  sealTo: [],
  filesIn: undefined,
});

export const openNatsStore = (
  port: number,
  env: Readonly<Record<string, string>> = {},
  more: Partial<{ readonly isTls: boolean; readonly stream: string }> = {},
): Promise<Store> =>
  openNats(natsKeep(port, more.stream, more.isTls), { readEnv: (name) => env[name], now: Date.now });

/** A server of its own for each test, whose clock nobody can push on. */
export const nats: Subject = {
  laterMs: 1_500,
  isHere: hasNats,
  create: async () => {
    const server = await startNats();
    const setter = await openNatsStore(server.port);
    await setter.setUp?.();
    await setter.close();
    const wires = new Map<Store, Wire>();
    return {
      now: Date.now,
      pass: async (ms) => void (await sleep(ms)),
      open: async () => {
        const wire = await startWire(server.port);
        const store = await openNatsStore(wire.port);
        wires.set(store, wire);
        return store;
      },
      crash: async (store) => {
        wires.get(store)?.cut();
        await sleep(claimMs);
      },
      fail: async () => {
        await server.kill();
        return () => server.start();
      },
      damage: async () => {
        const nc = await connect({ servers: `127.0.0.1:${server.port}` });
        const jsm = await jetstreamManager(nc);
        const { state } = await jsm.streams.info('kept', { subjects_filter: 'kept.due.>' });
        const [subject = ''] = Object.keys(state.subjects ?? {});
        const found = await jsm.streams.getMessage('kept', { last_by_subj: subject });
        if (!found) throw new Error('there is no entry');
        const data = Uint8Array.from(found.data);
        data[data.length - 1] = 0xff ^ (data.at(-1) ?? 0);
        await jsm.jetstream().publish(subject, data);
        await jsm.streams.deleteMessage('kept', found.seq);
        await nc.close();
      },
      remove: async () => {
        for (const wire of wires.values()) await wire.close();
        await server.close();
      },
    };
  },
};
