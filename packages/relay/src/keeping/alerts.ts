import { createHash } from 'node:crypto';
import { stackOf } from '../base/error_stack.ts';
import type { DeliveryError, Listener } from '../base/event.ts';
import { inTime } from '../base/in_time.ts';
import type { Keep, Store } from '../base/kept.ts';
import type { LogEvent } from '../base/log_event.ts';
import type { Alerts } from '../config/alerts.ts';
import type { FormOutput } from '../form.ts';
import { applies } from '../outputs/payload.ts';
import { scopeOf } from '../schema/template/scope.ts';
import { deliverTo } from '../street/deliver.ts';
import { submissionBudgetMs } from '../street/post_submission.ts';
import { failureWords } from '../telling/submission_log.ts';
import { type Alert, alertOf, alertValues } from './alert_words.ts';
import type { Notice, NoticeKind } from './episodes.ts';
import type { World } from './world.ts';

/** Tells the owner what happened, through the outputs of `alerts`. */
export interface AlertSender {
  /** Tells it once, of all processes that share the store, as far as the store can say so. */
  notices(notices: readonly Notice[], to: Alerts, keep: Keep, store: Store): Promise<void>;
  /** What could be neither delivered nor kept. */
  keepFailed(form: string, words: string, to: Alerts, keep: Keep): void;
  /** Begins those tries that are due. */
  retry(): void;
  /** Lets those end that are under way. */
  close(): Promise<void>;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** An alert that fails is tried again after so long, and then given up. */
const waits = [minute, 5 * minute, 15 * minute];

/** One that is to be told to one output. */
interface Telling {
  readonly output: FormOutput;
  readonly place: number;
  readonly form: Alerts['form'];
  readonly alert: Alert;
  readonly values: ReadonlyMap<string, string>;
  /** The same at each try. */
  readonly id: string;
  readonly at: number;
  tries: number;
  dueAt: number;
}

/** More than these would be of no use to anybody. */
const mostTellings = 200;

export function createAlertSender({ effects, transports }: World): AlertSender {
  const tellings = new Set<Telling>();
  const underWay = new Set<Promise<void>>();
  /** When it was last told that a form's submissions are lost. */
  const lostAt = new Map<string, number>();

  return {
    notices: async (notices, to, keep, store) => {
      const now = effects.now();
      const areFirst = await Promise.all(notices.map((one) => isFirst(one, store, now)));
      const first = notices.filter((_, index) => areFirst[index]);
      for (const [kind, some] of grouped(first)) tell(alertOf(kind, some), to, keep);
    },
    keepFailed: (form, words, to, keep) => {
      const now = effects.now();
      for (const [one, at] of lostAt) if (now - at >= hour || at > now) lostAt.delete(one);
      if (lostAt.has(form) || lostAt.size >= mostTellings) return;
      lostAt.set(form, now);
      tell({ ...alertOf('keep_failed', []), forms: [form], reasons: [words] }, to, keep);
    },
    retry: () => {
      const now = effects.now();
      for (const one of tellings) if (one.dueAt <= now) begin(one);
    },
    close: async () => {
      tellings.clear();
      await Promise.all(underWay);
    },
  };

  function tell(alert: Alert, { form }: Alerts, { sealTo }: Keep): void {
    const now = effects.now();
    const values = alertValues(alert, now, sealTo.length > 0);
    const submitted = new Map([...values].map(([name, value]) => [name, [value]]));
    const id = `alert-${effects.uuid()}`;
    for (const [place, output] of form.outputs.entries()) {
      if (tellings.size >= mostTellings || (output.when && !applies(output.when, submitted))) continue;
      begin({ output, place, form, alert, values, id, at: now, tries: 0, dueAt: now });
    }
  }

  function begin(telling: Telling): void {
    tellings.delete(telling);
    const work = send(telling).finally(() => underWay.delete(work));
    underWay.add(work);
  }

  async function send(telling: Telling): Promise<void> {
    const { output, place, form, values, id, at } = telling;
    const fields = new Map([...values].map(([name, value]) => [name, [value]]));
    const deadline = effects.now() + submissionBudgetMs;
    const submission = {
      requestId: id,
      receivedAt: at,
      values: fields,
      files: new Map(),
      page: undefined,
      deadline,
    };
    const scope = scopeOf(form.id, submission, effects, form.fields);
    const context = { form, effects, transports, tell: listenTo(telling) };
    const ending = await deliverTo(output, place, submission, scope, context, `${id}-${place}`);
    telling.tries += 1;
    if (ending === 'taken') log('info', 'alert_sent', telling);
    else putOff(telling, ending);
  }

  function putOff(telling: Telling, error: DeliveryError): void {
    const wait = waits[telling.tries - 1];
    const reason = failureWords(error);
    if (wait === undefined) {
      log('error', 'alert_failed', telling, { reason });
      return;
    }
    telling.dueAt = effects.now() + Math.round(wait * (1 + effects.random() / 10));
    tellings.add(telling);
    log('error', 'alert_failed', telling, { reason, next: new Date(telling.dueAt).toISOString() });
  }

  /** Delivered as a submission is, and told in lines of its own. */
  function listenTo(telling: Telling): Listener {
    return (event) => {
      if (event.kind === 'broken') log('error', 'internal_error', telling, { stack: stackOf(event.error) });
    };
  }

  function log(
    level: 'info' | 'error',
    event: LogEvent,
    { alert, output, place, tries }: Telling,
    more = {},
  ): void {
    const { kind, forms } = alert;
    effects.log(level, event, { alert: kind, forms, output: place, type: output.type, tries, ...more });
  }
}

function grouped(notices: readonly Notice[]): ReadonlyMap<NoticeKind, readonly Notice[]> {
  const groups = new Map<NoticeKind, Notice[]>();
  for (const one of notices) groups.set(one.kind, [...(groups.get(one.kind) ?? []), one]);
  return groups;
}

/** For one answer of a store. */
const askingMs = 5_000;

/** Two processes that notice the same do so within this. */
const margin = 5 * minute;

/**
 * Whether nobody else has told it. Processes notice the same beginning, or end, at about the same time; of what they found
 * when they started, or tell each day, one tells on each day.
 */
async function isFirst({ kind, key, isFound }: Notice, store: Store, now: number): Promise<boolean> {
  const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const ask = async (what: string, length: number, at: number) => {
    try {
      const key = `alert-${what}-${name}-${Math.floor(at / length)}`;
      return await inTime(askingMs, store.isFirst?.(key) ?? Promise.resolve(true), () => true);
    } catch {
      // Told twice is better than not at all.
      return true;
    }
  };
  if (kind === 'waiting' || kind === 'old') return ask(kind, day, now);
  const [isNew, isOurs, isAlone] = await Promise.all([
    // What is told now is told to nobody who finds it today.
    kind === 'delivered' || ask('waiting', day, now),
    ask(kind, hour, now),
    now % hour >= margin || ask(kind, hour, now - margin),
  ]);
  return isOurs && isAlone && (isNew || !isFound || kind !== 'aside');
}
