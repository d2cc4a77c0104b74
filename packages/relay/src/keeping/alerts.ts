import { createHash } from 'node:crypto';
import { bareAddress } from '../base/address.ts';
import type { OwnerBounce } from '../base/bounces.ts';
import { stackOf } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import type { DeliveryError, Listener } from '../base/event.ts';
import type { Store } from '../base/kept.ts';
import type { LogEvent } from '../base/log_event.ts';
import { inTime } from '../base/soon.ts';
import type { Alerts } from '../config/alerts_form.ts';
import type { FormOutput } from '../form.ts';
import { applies } from '../outputs/payload.ts';
import type { Scope } from '../schema/template/render.ts';
import { scopeOf } from '../schema/template/scope.ts';
import { deliverTo } from '../street/deliver.ts';
import { submissionBudgetMs } from '../street/post_submission.ts';
import { failureWords } from '../telling/submission_log.ts';
import { recipientsOf } from '../transports/index.ts';
import { type Alert, alertOf, alertValues } from './alert_words.ts';
import type { World } from './attempt.ts';
import type { Notice, NoticeKind } from './incidents.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The waits before retries of a failed alert, which is then given up. */
const retryWaitsMs = [minute, 5 * minute, 15 * minute];

/** An alert for one output. */
interface Telling {
  readonly output: FormOutput;
  readonly place: number;
  readonly form: Alerts['form'];
  readonly alert: Alert;
  readonly values: ReadonlyMap<string, string>;
  /** The same at each try. */
  readonly id: string;
  readonly at: number;
  /** Called once it was taken. */
  readonly told?: (() => Promise<void>) | undefined;
  tries: number;
  dueAt: number;
}

/** An outage must not fill the memory. */
const mostTellings = 200;

/** Alerts the owner through the outputs of `alerts`. */
export class AlertSender {
  readonly #effects: Effects;
  readonly #tellings = new Set<Telling>();
  readonly #underWay = new Set<Promise<void>>();
  /** When lost submissions of a form were last reported. */
  readonly #lostAt = new Map<string, number>();

  constructor(private readonly world: World) {
    this.#effects = world.effects;
  }

  /** Sends each notice from one of the processes that share the store, as far as the store can tell. */
  async notices(notices: readonly Notice[], to: Alerts, store: Store): Promise<void> {
    const now = this.#effects.now();
    const areFirst = await Promise.all(notices.map((one) => isFirst(one, store, now)));
    const first = notices.filter((_, index) => areFirst[index]);
    for (const [kind, some] of grouped(first)) this.#tell(alertOf(kind, some), to);
  }

  /** Reports a submission that could be neither delivered nor kept. */
  keepFailed(form: string, words: string, to: Alerts): void {
    const now = this.#effects.now();
    for (const [one, at] of this.#lostAt) if (now - at >= hour || at > now) this.#lostAt.delete(one);
    if (this.#lostAt.has(form) || this.#lostAt.size >= mostTellings) return;
    this.#lostAt.set(form, now);
    this.#tell({ ...alertOf('keep_failed', []), forms: [form], reasons: [words] }, to);
  }

  /** Reports that old submissions were not removed from an archive. */
  unpruned(archive: string, reason: string, to: Alerts): void {
    this.#tell({ ...alertOf('unpruned', []), reasons: [`${archive}: ${reason}`] }, to);
  }

  /** Reports an address of the owner's that takes no mail, but not to that address. Resolves after the first try. */
  async bounced(
    { addresses, kind, forms, reason }: OwnerBounce,
    to: Alerts,
    told: () => Promise<void>,
  ): Promise<void> {
    const about = addresses.join(' ');
    // Its retry will tell the same.
    if ([...this.#tellings].some(({ alert }) => alert.addresses?.join(' ') === about)) return;
    const alert = {
      ...alertOf('bounced', []),
      forms: forms.toSorted(),
      reasons: [reason],
      addresses,
      mark: kind,
    };
    const scope = scopeOf(to.form.id, { values: new Map(), receivedAt: this.#effects.now() }, this.#effects);
    this.#tell(alert, to, { isFor: (output) => !mailsOnlyTo(output, addresses, scope), told });
    await Promise.all(this.#underWay);
  }

  /** Retries the alerts that are due. */
  retry(): void {
    const now = this.#effects.now();
    for (const one of this.#tellings) if (one.dueAt <= now) this.#begin(one);
  }

  /** Waits for alerts under way. */
  async close(): Promise<void> {
    this.#tellings.clear();
    await Promise.all(this.#underWay);
  }

  #tell(
    alert: Alert,
    { form }: Alerts,
    { isFor, told }: { isFor?(output: FormOutput): boolean; told?: Telling['told'] } = {},
  ): void {
    const now = this.#effects.now();
    const values = alertValues(alert, now);
    const submitted = new Map([...values].map(([name, value]) => [name, [value]]));
    const id = `alert-${this.#effects.uuid()}`;
    for (const [place, output] of form.outputs.entries()) {
      if (this.#tellings.size >= mostTellings || (output.when && !applies(output.when, submitted))) continue;
      if (isFor && !isFor(output)) continue;
      this.#begin({ output, place, form, alert, values, id, at: now, tries: 0, dueAt: now, told });
    }
  }

  #begin(telling: Telling): void {
    this.#tellings.delete(telling);
    const work = this.#send(telling).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async #send(telling: Telling): Promise<void> {
    const { output, place, form, values, id, at } = telling;
    const fields = new Map([...values].map(([name, value]) => [name, [value]]));
    const deadline = this.#effects.now() + submissionBudgetMs;
    const about = { requestId: id, receivedAt: at, values: fields, page: undefined };
    const submission = { ...about, files: new Map(), deadline };
    const scope = scopeOf(form.id, submission, this.#effects, form.fields);
    const { effects, transports } = this.world;
    const context = { form, effects, transports, tell: this.#listenTo(telling) };
    const ending = await deliverTo(output, place, submission, scope, context, `${id}-${place}`);
    telling.tries += 1;
    if (ending !== 'taken') return this.#putOff(telling, ending);
    this.#log('info', 'alert_sent', telling);
    await telling.told?.();
  }

  #putOff(telling: Telling, error: DeliveryError): void {
    const wait = retryWaitsMs[telling.tries - 1];
    const reason = failureWords(error);
    if (wait === undefined) {
      this.#log('error', 'alert_failed', telling, { reason });
      return;
    }
    telling.dueAt = this.#effects.now() + Math.round(wait * (1 + this.#effects.random() / 10));
    this.#tellings.add(telling);
    this.#log('error', 'alert_failed', telling, { reason, next: new Date(telling.dueAt).toISOString() });
  }

  /** Alerts have log lines of their own, so only bugs are reported here. */
  #listenTo(telling: Telling): Listener {
    return (event) => {
      if (event.kind === 'broken')
        this.#log('error', 'internal_error', telling, { stack: stackOf(event.error) });
    };
  }

  #log(level: 'info' | 'error', event: LogEvent, { alert, output, place, tries }: Telling, more = {}): void {
    const { kind, forms } = alert;
    const { type } = output;
    this.#effects.log(level, event, { alert: kind, forms, output: place, type, tries, ...more });
  }
}

function grouped(notices: readonly Notice[]): ReadonlyMap<NoticeKind, readonly Notice[]> {
  const groups = new Map<NoticeKind, Notice[]>();
  for (const one of notices) groups.set(one.kind, [...(groups.get(one.kind) ?? []), one]);
  return groups;
}

/** The timeout of one answer of a store. */
const askingMs = 5_000;

/** Whether no other process has sent it within the hour, or the day if it is sent daily. A second alert is better than none. */
async function isFirst({ kind, key }: Notice, store: Store, now: number): Promise<boolean> {
  const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const length = kind === 'waiting' || kind === 'old' ? day : hour;
  try {
    const asked = store.isFirst?.(`alert-${kind}-${name}-${Math.floor(now / length)}`);
    return await inTime(askingMs, asked ?? Promise.resolve(true), () => true);
  } catch {
    return true;
  }
}

/** Whether such an alert would come back as well. */
function mailsOnlyTo({ target }: FormOutput, [address, ...others]: readonly string[], scope: Scope): boolean {
  const to = others.length === 0 ? recipientsOf(target) : [];
  return to.length > 0 && to.every((one) => bareAddress(one.render(scope)).toLowerCase() === address);
}
