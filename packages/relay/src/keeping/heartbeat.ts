import { ClientError, failed, stackOf } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import type { LogEvent } from '../base/log_event.ts';
import { version } from '../base/version.ts';
import type { Config } from '../config/parse.ts';
import { addressIn } from '../transports/http/http_transport.ts';
import type { World } from './attempt.ts';

const timeoutMs = 10_000;

/** The first heartbeat comes within this time, at random so that copies don't send it at once. */
const firstWithinMs = 5_000;

/** Requests an address while all is well, so that an outside service notices when the relay is gone. */
export class Heartbeat {
  readonly #effects: Effects;
  #heartbeat: Config['heartbeat'];
  #nextAt = 0;
  #asking: Promise<void> | undefined;
  /** The last event and reason in the log, so that each is logged once. */
  #said = '';

  /** @param whyNot Resolves with what is wrong, in words; `undefined` while all is well. */
  constructor(
    world: Pick<World, 'effects'>,
    private readonly whyNot: () => Promise<string | undefined>,
  ) {
    this.#effects = world.effects;
  }

  start(next: Config['heartbeat']): void {
    const now = this.#effects.now();
    const soon = now + Math.round(this.#effects.random() * firstWithinMs);
    if (next) this.#nextAt = this.#heartbeat ? Math.min(this.#nextAt, now + next.every) : soon;
    this.#heartbeat = next;
  }

  /** Sends a heartbeat when it is due and none is under way. */
  beat(): void {
    const now = this.#effects.now();
    if (!this.#heartbeat || this.#asking !== undefined) return;
    const { url_env: name, every } = this.#heartbeat;
    // A clock that is set back must not silence it.
    if (now < this.#nextAt && this.#nextAt - now <= every) return;
    // Never later than configured: the service counts from the last one.
    this.#nextAt = now + Math.round(every * (1 - this.#effects.random() / 10));
    this.#asking = this.#once(name).finally(() => {
      this.#asking = undefined;
    });
  }

  async close(): Promise<void> {
    this.#heartbeat = undefined;
    await this.#asking;
  }

  async #once(name: string): Promise<void> {
    try {
      const reason = await this.whyNot();
      if (reason !== undefined) return this.#say('warn', 'heartbeat_withheld', reason);
      const { url } = addressIn(name, this.#effects.env);
      const headers = { 'user-agent': `form-relay/${version}` };
      const { status } = await this.#effects.http({ method: 'GET', url, headers, body: '', timeoutMs });
      if (status >= 300) throw failed('http_status', { status, isElsewhere: false, code: undefined });
      this.#say('info', 'heartbeat', '');
    } catch (error) {
      if (error instanceof ClientError) return this.#say('error', 'heartbeat_failed', error.message);
      this.#effects.log('error', 'internal_error', { stack: stackOf(error) });
    }
  }

  #say(level: 'info' | 'warn' | 'error', event: LogEvent, reason: string): void {
    if (this.#said === event + reason) return;
    this.#said = event + reason;
    this.#effects.log(level, event, reason === '' ? {} : { reason });
  }
}
