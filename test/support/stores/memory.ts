import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Subject } from './place.ts';

/** It is gone with its process, so nobody else opens it, and no process dies while it is there. */
export const memory: Subject = {
  laterMs: 60_000,
  create: async () => {
    let aheadMs = 0;
    const now = () => Date.now() + aheadMs;
    const store = createMemoryStore(now);
    return {
      now,
      pass: async (ms) => {
        aheadMs += ms;
      },
      open: async () => store,
      remove: () => store.close(),
    };
  },
};
