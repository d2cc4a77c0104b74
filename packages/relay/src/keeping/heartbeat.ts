import { ClientError, failed } from '../base/client_error.ts';
import { stackOf } from '../base/error_stack.ts';
import type { LogEvent } from '../base/log_event.ts';
import { version } from '../base/version.ts';
import type { Config } from '../config/parse.ts';
import { addressIn } from '../transports/http/http_transport.ts';
import type { World } from './world.ts';

/** Asks an address while all is well, so that a service outside notices when the relay is gone. */
export interface Heartbeat {
  start(heartbeat: Config['heartbeat']): void;
  /** Asks when it is time, and never while it still does. */
  beat(): void;
  close(): Promise<void>;
}

const timeoutMs = 10_000;

/** The first comes soon, but not from all copies at once. */
const firstWithinMs = 5_000;

/** @param whyNot What is not well, in words; `undefined` while all is. */
export function createHeartbeat(
  { effects }: Pick<World, 'effects'>,
  whyNot: () => Promise<string | undefined>,
): Heartbeat {
  let heartbeat: Config['heartbeat'];
  let nextAt = 0;
  let asking: Promise<void> | undefined;
  /** What was last said of it, so that each is logged once. */
  let said = '';

  return {
    start(next) {
      const now = effects.now();
      const soon = now + Math.round(effects.random() * firstWithinMs);
      if (next) nextAt = heartbeat ? Math.min(nextAt, now + next.every) : soon;
      heartbeat = next;
    },
    beat() {
      const now = effects.now();
      if (!heartbeat || asking !== undefined) return;
      const { url_env: name, every } = heartbeat;
      // A clock that is set back must not silence it.
      if (now < nextAt && nextAt - now <= every) return;
      // Never later than asked for: whoever listens counts from the last one.
      nextAt = now + Math.round(every * (1 - effects.random() / 10));
      asking = once(name).finally(() => {
        asking = undefined;
      });
    },
    close: async () => {
      heartbeat = undefined;
      await asking;
    },
  };

  async function once(name: string): Promise<void> {
    try {
      const reason = await whyNot();
      if (reason !== undefined) return say('warn', 'heartbeat_withheld', reason);
      const { url } = addressIn(name, effects.env);
      const headers = { 'user-agent': `form-relay/${version}` };
      const { status } = await effects.http({ method: 'GET', url, headers, body: '', timeoutMs });
      if (status >= 300) throw failed('http_status', { status, isElsewhere: false, code: undefined });
      say('info', 'heartbeat', '');
    } catch (error) {
      if (error instanceof ClientError) return say('error', 'heartbeat_failed', error.message);
      effects.log('error', 'internal_error', { stack: stackOf(error) });
    }
  }

  function say(level: 'info' | 'warn' | 'error', event: LogEvent, reason: string): void {
    if (said === event + reason) return;
    said = event + reason;
    effects.log(level, event, reason === '' ? {} : { reason });
  }
}
