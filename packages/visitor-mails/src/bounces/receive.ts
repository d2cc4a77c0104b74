import type { Counters } from '@form-relay/capacity/counters/index';
import type { Form, PluginContext, RelayRequest, RelayResponse } from '@form-relay/core/index';
import { ClientError, throttledReport } from '@form-relay/core/kit';
import type { Alerts } from '@form-relay/queue/alerts';
import { providers, type Settings } from './providers/index.ts';
import { type RefusedReason, refusedWords } from './providers/provider.ts';
import { Seen, takeEvents } from './take_events.ts';
import { isFirstUse } from './used_tokens.ts';

/** What receivers remember of the requests of a process. */
export interface Remembered {
  readonly seen: Seen;
  readonly tellRefused: (provider: string, reason: RefusedReason, requestId: string) => void;
  readonly tellUnproven: (provider: string, reason: string, requestId: string) => void;
}

/** What a config says of mails that come back. */
interface Receiving {
  readonly bounces: Settings;
  readonly counters: Counters;
  readonly alerts: Alerts | undefined;
  readonly forms: ReadonlyMap<string, Form>;
  readonly defer: (work: () => Promise<void>) => Promise<void>;
}

/** POST /api/v1/mail-events/{provider}. A request that is not the provider's learns nothing. */
export async function receive(
  request: RelayRequest,
  requestId: string,
  { bounces, counters, alerts, forms, defer }: Receiving,
  { services, settings }: PluginContext,
  { seen, tellRefused, tellUnproven }: Remembered,
): Promise<RelayResponse> {
  const name = request.path.slice(request.path.lastIndexOf('/') + 1);
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const own = bounces[name];
  if (!provider || typeof own !== 'object' || own === null) return answer(404, { error: 'not found' });
  if (request.isTooLong) return answer(413, { error: 'too long' });
  if (!request.body || settings.formTokenSecret === '') return answer(503, { error: 'not now' });
  const refuse = (reason: RefusedReason) => {
    tellRefused(name, reason, requestId);
    return answer(reason === 'foreign_topic' ? 403 : 401, { error: 'not accepted' });
  };
  const about = { request_id: requestId };
  const post = { settings: { ...own }, body: Buffer.from(request.body), headers: request.headers, services };
  const received = await orFailure(async () => provider.receive(post));
  if (received instanceof ClientError) {
    tellUnproven(name, received.message, requestId);
    return answer(503, { error: 'not now' });
  }
  try {
    switch (received.kind) {
      case 'refused':
        return refuse(received.reason);
      case 'subscribed':
        services.log('info', 'mail_events_subscribed', { ...about, topic: received.topic });
        return answer(200, { message: 'ok' });
      case 'unsubscribed':
        services.log('warn', 'mail_events_unsubscribed', { ...about, topic: received.topic });
        return answer(200, { message: 'ok' });
      case 'events': {
        const { signed, events } = received;
        if (signed && !(await isFirstUse(signed, await counters.counter(services), services)))
          return refuse('repeated');
        const store = await counters.store(services);
        await takeEvents(name, events, { forms, alerts, settings, services, store, seen, defer });
        return answer(200, { message: 'ok' });
      }
    }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    // The provider sends it again.
    services.log('error', 'bounces_unread', { ...about, provider: name, reason: error.message });
    return answer(503, { error: 'not now' });
  }
}

async function orFailure<T>(work: () => Promise<T>): Promise<T | ClientError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
}

export function remembering({ now, log }: PluginContext['services']): Remembered {
  return {
    seen: new Seen(),
    tellRefused: throttledReport(now, (times, provider: string, reason: RefusedReason, requestId: string) =>
      log('warn', 'mail_events_refused', {
        request_id: requestId,
        provider,
        reason: refusedWords[reason],
        times,
      }),
    ),
    tellUnproven: throttledReport(now, (times, provider: string, reason: string, requestId: string) =>
      log('warn', 'mail_events_unproven', { request_id: requestId, provider, reason, times }),
    ),
  };
}

const answer = (status: number, body: object): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: `${JSON.stringify(body)}\n`,
});
