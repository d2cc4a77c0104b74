import type { Effects } from '@form-relay/relay/base';

/** The relay's clock, which its owner can push on to see what happens later: to what is kept, to links, to open forms. */
export interface Clock {
  /** How far it is ahead of the real one, in milliseconds. */
  readonly aheadMs: number;
  readonly isPushed: boolean;
  readonly now: Effects['now'];
  /** Nobody waits while it is pushed on: it moves. */
  readonly sleep: Effects['sleep'];
  /** Pushes it on, step by step: what is due on the way has its turn at its time. */
  pushOn(ms: number, alarms: Alarms): Promise<void>;
}

interface Alarms {
  /** When something is due next, after this moment. */
  readonly nextAfter: (now: number) => Promise<number | undefined>;
  readonly ring: () => Promise<void>;
}

export function createClock(real: Pick<Effects, 'now' | 'sleep'>): Clock {
  let aheadMs = 0;
  let isPushed = false;
  /** One push waits for the one before. */
  let pushing = Promise.resolve();
  const now = () => real.now() + aheadMs;
  const moveTo = (time: number) => {
    aheadMs += Math.max(0, time - now());
  };

  async function push(ms: number, { nextAfter, ring }: Alarms): Promise<void> {
    const until = now() + ms;
    isPushed = true;
    try {
      for (;;) {
        const next = await nextAfter(now());
        moveTo(Math.min(next ?? until, until));
        await ring();
        if (next === undefined || next >= until) return;
      }
    } finally {
      isPushed = false;
    }
  }

  return {
    get aheadMs() {
      return aheadMs;
    },
    get isPushed() {
      return isPushed;
    },
    now,
    sleep: async (ms) => {
      if (isPushed) moveTo(now() + ms);
      else await real.sleep(ms);
    },
    pushOn: (ms, alarms) => {
      const pushed = pushing.then(() => push(ms, alarms));
      pushing = pushed.catch(() => undefined);
      return pushed;
    },
  };
}
