import type { TellOwner } from '../base/bounces.ts';
import { AlertSender } from './alerts.ts';
import type { World } from './attempt.ts';

const minuteMs = 60_000;

export interface BounceAlerts {
  readonly tell: TellOwner;
  close(): Promise<void>;
}

/** Tells the owner, through `alerts`, that mails to an address of theirs come back. */
export function createBounceAlerts(world: World): BounceAlerts {
  const { config, effects } = world;
  const alerts = new AlertSender(world);
  const stop = effects.repeat(minuteMs, () => alerts.retry());
  return {
    tell: async (bounced, told) => {
      const to = (await config.get())?.alerts;
      if (to) await alerts.bounced(bounced, to, told);
    },
    close: async () => {
      stop();
      await alerts.close();
    },
  };
}
