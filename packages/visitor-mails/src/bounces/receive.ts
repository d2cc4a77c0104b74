import type { Counters } from '@form-relay/capacity/counters/index';
import { LatestMap } from '@form-relay/clients/latest_map';
import type { Form, PluginContext, RelayRequest, RelayResponse, Services } from '@form-relay/core/index';
import { ClientError, parseJson, throttledReport } from '@form-relay/core/kit';
import type { Alerts } from '@form-relay/queue/alerts';
import { providersIn } from './providers/index.ts';
import { type Received, type RefusedReason, refusedWords, type Settings } from './providers/provider.ts';
import { takeEvents } from './take_events.ts';
import { isFirstUse } from './used_tokens.ts';

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
  { seen, tellRefused, tellUnproven }: ReturnType<typeof remembering>,
): Promise<RelayResponse> {
  const name = request.path.slice(request.path.lastIndexOf('/') + 1);
  const asked = providersIn(bounces).find((one) => one.name === name);
  if (!asked) return answer(404, { error: 'not found' });
  if (request.isTooLong) return answer(413, { error: 'too long' });
  if (!request.body || settings.formTokenSecret === '') return answer(503, { error: 'not now' });
  const refuse = (reason: RefusedReason) => {
    tellRefused(name, refusedWords[reason], requestId);
    return answer(reason === 'foreign_topic' ? 403 : 401, { error: 'not accepted' });
  };
  const about = { request_id: requestId };
  const secret = asked.variable === undefined ? '' : services.env(asked.variable);
  if (asked.variable !== undefined && !secret) return refuse('unset');
  const body = Buffer.from(request.body);
  const json = parseJson(body.toString());
  const { headers } = request;
  let received: Received;
  try {
    const post = { settings: asked.settings, secret: secret ?? '', body, json, headers, now: services.now() };
    received = await asked.provider.receive({ ...post, services });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    tellUnproven(name, error.message, requestId);
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
        const { store } = await counters.counter(services);
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

const mostSeen = 10_000;

/** What a process remembers of requests. */
export function remembering({ now, log }: Pick<Services, 'now' | 'log'>) {
  const tellOf = (event: string) =>
    throttledReport(now, (times, provider: string, reason: string, requestId: string) =>
      log('warn', event, { request_id: requestId, provider, reason, times }),
    );
  return {
    seen: new LatestMap<true>(mostSeen),
    tellRefused: tellOf('mail_events_refused'),
    tellUnproven: tellOf('mail_events_unproven'),
  };
}

const answer = (status: number, body: object): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: `${JSON.stringify(body)}\n`,
});
