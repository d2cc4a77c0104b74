import { ClientError } from '../../base/client_error.ts';
import type { RelayResponse } from '../../base/http.ts';
import { throttledReport } from '../../base/throttled.ts';
import { idsOf } from '../../base/trace.ts';
import type { Call, Whole } from '../../form.ts';
import { failure } from '../../pages/respond.ts';
import { providersIn } from './providers/index.ts';
import { type RefusedReason, refusedWords } from './providers/provider.ts';
import { Seen, takeEvents } from './take_events.ts';
import { isFirstUse } from './used_tokens.ts';

/** The requests that a process remembers. */
interface Remembered {
  readonly seen: Seen;
  readonly tellRefused: (provider: string, reason: RefusedReason, ids: object) => void;
  readonly tellUnproven: (provider: string, reason: string, ids: object) => void;
}

/** POST /api/v1/mail-events/{provider}. A request that is not the provider's learns nothing. */
export async function receive(call: Call): Promise<RelayResponse> {
  const { request, effects, settings, memory } = call;
  const whole = await call.whole();
  const { bounces } = whole ?? {};
  const name = request.path.slice(request.path.lastIndexOf('/') + 1);
  const [found] = bounces ? providersIn(bounces).filter(([one]) => one === name) : [];
  if (!whole) return failure(500, { code: 'internal_error' }, call.context());
  if (!bounces || !found) return failure(404, { code: 'unknown_page' }, call.context());
  const [provider, { receive: read }, own] = found;
  if (request.isTooLong) return answer(413, { error: 'too long' });
  if (!request.body || settings.formTokenSecret === '') return answer(503, { error: 'not now' });
  const { seen, tellRefused, tellUnproven } = memory.late('mail events', () => remembered(call));
  const refuse = (reason: RefusedReason) => {
    tellRefused(provider, reason, idsOf(call));
    return answer(reason === 'foreign_topic' ? 403 : 401, { error: 'not accepted' });
  };
  const post = {
    settings: own,
    body: Buffer.from(request.body),
    headers: request.headers,
    effects,
  };
  const received = await orFailure(async () => read(post));
  if (received instanceof ClientError) {
    tellUnproven(provider, received.message, idsOf(call));
    return answer(503, { error: 'not now' });
  }
  try {
    switch (received.kind) {
      case 'refused':
        return refuse(received.reason);
      case 'subscribed':
        effects.log('info', 'mail_events_subscribed', { ...idsOf(call), topic: received.topic });
        return answer(200, { message: 'ok' });
      case 'unsubscribed':
        effects.log('warn', 'mail_events_unsubscribed', { ...idsOf(call), topic: received.topic });
        return answer(200, { message: 'ok' });
      case 'events': {
        const { signed, events } = received;
        if (signed && bounces.where && !(await isFirstUse(signed, bounces.where, effects)))
          return refuse('repeated');
        const world = { bounces, whole: whole as Whole, settings, effects, seen };
        const { alert, afterwards } = call;
        await takeEvents(provider, events, {
          ...world,
          alert: alert.bind(call),
          afterwards: afterwards.bind(call),
        });
        return answer(200, { message: 'ok' });
      }
    }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    // The provider sends it again.
    effects.log('error', 'bounces_unread', { ...idsOf(call), provider, reason: error.message });
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

function remembered({ effects }: Call): Remembered {
  const unproven = throttledReport(effects.now, (times, provider: string, reason: string, ids: object) =>
    effects.log('warn', 'mail_events_unproven', { ...ids, provider, reason, times }),
  );
  const tell = throttledReport(effects.now, (times, provider: string, reason: RefusedReason, ids: object) =>
    effects.log('warn', 'mail_events_refused', { ...ids, provider, reason: refusedWords[reason], times }),
  );
  return { seen: new Seen(), tellRefused: tell, tellUnproven: unproven };
}

const answer = (status: number, body: object): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: `${JSON.stringify(body)}\n`,
});
