/** `heartbeat` at the top of a config: requests an address while all is well, so that an outside service notices when the relay is gone. */
import type { Services } from '@form-relay/core/index';
import {
  addressOf,
  ClientError,
  duration,
  feature,
  neededVariable,
  object,
  optionalBlock,
  required,
  stackOf,
  version,
  withDefault,
} from '@form-relay/core/kit';

declare module '@form-relay/core/plugin' {
  interface Shared {
    heartbeat: HeartbeatConfig;
  }
}

export interface HeartbeatConfig {
  readonly url_env: string;
  /** In milliseconds. */
  readonly every: number;
}

export const heartbeatFeature = feature({
  name: 'heartbeat',
  keys: {
    top: {
      heartbeat: optionalBlock(
        'Asks an address while all is well, so that a service outside notices when the relay is gone.',
        object(
          {
            url_env: required(
              'The environment variable with the address that is asked (`GET`) while all is well.',
              neededVariable(),
            ),
            every: withDefault('5m', 'How often.', duration({ leastMs: 10_000 })),
          },
          '{url_env: HEARTBEAT_URL}',
        ),
        { aliases: ['heartbeats', 'healthcheck', 'ping', 'deadmansswitch'] },
      ),
    },
  },
  configureTop: ({ heartbeat }) => (heartbeat?.url_env === undefined ? undefined : heartbeat),
  configure: () => undefined,
});

const timeoutMs = 10_000;

/** The first heartbeat comes within this time, at random so that copies don't send it at once. */
const firstWithinMs = 5_000;

export class Heartbeat {
  #heartbeat: HeartbeatConfig | undefined;
  #nextAt = 0;
  #asking: Promise<void> | undefined;
  /** The last event and reason in the log, so that each is logged once. */
  #said = '';

  /** @param whyNot Resolves with what is wrong, in words; `undefined` while all is well. */
  constructor(
    private readonly services: Services,
    private readonly whyNot: () => Promise<string | undefined>,
  ) {}

  start(next: HeartbeatConfig | undefined): void {
    const now = this.services.now();
    const soon = now + Math.round(this.services.random() * firstWithinMs);
    if (next) this.#nextAt = this.#heartbeat ? Math.min(this.#nextAt, now + next.every) : soon;
    this.#heartbeat = next;
  }

  beat(): void {
    const now = this.services.now();
    if (!this.#heartbeat || this.#asking !== undefined) return;
    const { every } = this.#heartbeat;
    // A clock that is set back must not silence it.
    if (now < this.#nextAt && this.#nextAt - now <= every) return;
    // Never later than configured: the service counts from the last one.
    this.#nextAt = now + Math.round(every * (1 - this.services.random() / 10));
    this.#asking = this.#once(this.#heartbeat).finally(() => {
      this.#asking = undefined;
    });
  }

  async close(): Promise<void> {
    this.#heartbeat = undefined;
    await this.#asking;
  }

  async #once({ url_env }: HeartbeatConfig): Promise<void> {
    try {
      const reason = await this.whyNot();
      if (reason !== undefined) return this.#say('warn', 'heartbeat_withheld', reason);
      const url = addressOf({ url_env }, this.services);
      const headers = { 'user-agent': `form-relay/${version}` };
      const { status } = await this.services.http({ method: 'GET', url, headers, body: '', timeoutMs });
      if (status < 300) this.#say('info', 'heartbeat', '');
      else this.#say('error', 'heartbeat_failed', `the server answered ${status}`);
    } catch (error) {
      if (error instanceof ClientError) return this.#say('error', 'heartbeat_failed', error.message);
      this.services.log('error', 'internal_error', { stack: stackOf(error) });
    }
  }

  #say(level: 'info' | 'warn' | 'error', event: string, reason: string): void {
    if (this.#said === event + reason) return;
    this.#said = event + reason;
    this.services.log(level, event, reason === '' ? {} : { reason });
  }
}
