import type { Services } from '@form-relay/core/index';
import { ClientError, parseUrl, stackOf, version } from '@form-relay/core/kit';
import { failed } from './failures.ts';
import type { HeartbeatConfig } from './heartbeat_feature.ts';

const timeoutMs = 10_000;

/** The first heartbeat comes within this time, at random so that copies don't send it at once. */
const firstWithinMs = 5_000;

/** Requests an address while all is well, so that an outside service notices when the relay is gone. */
export class Heartbeat {
  readonly #services: Services;
  #heartbeat: HeartbeatConfig | undefined;
  #nextAt = 0;
  #asking: Promise<void> | undefined;
  /** The last event and reason in the log, so that each is logged once. */
  #said = '';

  /** @param whyNot Resolves with what is wrong, in words; `undefined` while all is well. */
  constructor(
    services: Services,
    private readonly whyNot: () => Promise<string | undefined>,
  ) {
    this.#services = services;
  }

  start(next: HeartbeatConfig | undefined): void {
    const now = this.#services.now();
    const soon = now + Math.round(this.#services.random() * firstWithinMs);
    if (next) this.#nextAt = this.#heartbeat ? Math.min(this.#nextAt, now + next.everyMs) : soon;
    this.#heartbeat = next;
  }

  /** Sends a heartbeat when it is due and none is under way. */
  beat(): void {
    const now = this.#services.now();
    if (!this.#heartbeat || this.#asking !== undefined) return;
    const { urlEnv, everyMs: every } = this.#heartbeat;
    // A clock that is set back must not silence it.
    if (now < this.#nextAt && this.#nextAt - now <= every) return;
    // Never later than configured: the service counts from the last one.
    this.#nextAt = now + Math.round(every * (1 - this.#services.random() / 10));
    this.#asking = this.#once(urlEnv).finally(() => {
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
      const url = addressIn(name, this.#services.env);
      const headers = { 'user-agent': `form-relay/${version}` };
      const { status } = await this.#services.http({ method: 'GET', url, headers, body: '', timeoutMs });
      if (status >= 300) throw failed('http_status', { status });
      this.#say('info', 'heartbeat', '');
    } catch (error) {
      if (error instanceof ClientError) return this.#say('error', 'heartbeat_failed', error.message);
      this.#services.log('error', 'internal_error', { stack: stackOf(error) });
    }
  }

  #say(level: 'info' | 'warn' | 'error', event: string, reason: string): void {
    if (this.#said === event + reason) return;
    this.#said = event + reason;
    this.#services.log(level, event, reason === '' ? {} : { reason });
  }
}

function addressIn(name: string, env: Services['env']): URL {
  const written = env(name)?.trim();
  if (!written) throw failed('address_unset', { name });
  // URL parsers drop line breaks and tabs, so two addresses would become an unknown one.
  const url = /[\t\n\r]/.test(written) ? undefined : parseUrl(written);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.username !== '' || url.password !== '')
    throw failed('address_malformed', { name });
  return url;
}
