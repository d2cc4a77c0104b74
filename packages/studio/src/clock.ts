import type { Effects } from '@form-relay/relay/base';

/** The relay's clock. Its owner can push it on, to see what becomes of kept deliveries, links and open forms. */
export interface Clock {
  /** Milliseconds ahead of the real clock. */
  readonly aheadMs: number;
  /** A push is under way. */
  readonly isPushed: boolean;
  readonly now: Effects['now'];
  /** During a push, moves the clock instead of waiting. */
  readonly sleep: Effects['sleep'];
  /** Pushes the clock on, from alarm to alarm: each rings at its own time. */
  pushOn(ms: number, alarms: Alarms): Promise<void>;
}

interface Alarms {
  /** The time of the next alarm after `now`, in milliseconds since the epoch. */
  readonly nextAfter: (now: number) => Promise<number | undefined>;
  readonly ring: () => Promise<void>;
}

export function createClock(real: Pick<Effects, 'now' | 'sleep'>): Clock {
  let aheadMs = 0;
  let isPushed = false;
  /** Pushes run one after the other. */
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
