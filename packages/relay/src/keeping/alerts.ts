import { createHash } from 'node:crypto';
import { bareAddress } from '../base/address.ts';
import type { BounceKind, OwnerBounce } from '../base/bounces.ts';
import { stackOf } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import type { DeliveryError, Listener } from '../base/event.ts';
import { inTime } from '../base/in_time.ts';
import type { Store } from '../base/kept.ts';
import type { LogEvent } from '../base/log_event.ts';
import type { Alerts } from '../config/alerts_form.ts';
import type { FormOutput } from '../form.ts';
import { applies } from '../outputs/payload.ts';
import type { Scope } from '../schema/template/render.ts';
import { scopeOf } from '../schema/template/scope.ts';
import { deliverTo } from '../street/deliver.ts';
import { submissionBudgetMs } from '../street/post_submission.ts';
import { failureWords } from '../telling/submission_log.ts';
import { recipientsOf } from '../transports/index.ts';
import { ageInWords } from './age_words.ts';
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

/** How far apart two processes may notice the same. */
const margin = 5 * minute;

/**
 * Whether no other process has sent it. Processes notice a beginning or an end at about the same time. What they found when
 * they started, and what is sent daily, is sent once a day.
 */
async function isFirst({ kind, key, isFound }: Notice, store: Store, now: number): Promise<boolean> {
  const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const ask = async (what: string, length: number, at: number) => {
    try {
      const key = `alert-${what}-${name}-${Math.floor(at / length)}`;
      return await inTime(askingMs, store.isFirst?.(key) ?? Promise.resolve(true), () => true);
    } catch {
      // Twice is better than never.
      return true;
    }
  };
  if (kind === 'waiting' || kind === 'old') return ask(kind, day, now);
  const [isNew, isOurs, isAlone] = await Promise.all([
    // Marks it as sent for processes that find it later today.
    kind === 'delivered' || ask('waiting', day, now),
    ask(kind, hour, now),
    now % hour >= margin || ask(kind, hour, now - margin),
  ]);
  return isOurs && isAlone && (isNew || !isFound || kind !== 'aside');
}

/** An alert about all forms to which the same happened. */
export interface Alert {
  readonly kind: NoticeKind | 'keep_failed' | 'unpruned' | 'bounced';
  /** Addresses of the owner's, one of which takes no mail, and why. */
  readonly addresses?: readonly string[];
  readonly mark?: BounceKind;
  /** Sorted. Empty if the store can't tell. */
  readonly forms: readonly string[];
  readonly waiting: number;
  readonly aside: number;
  readonly oldestKeptAt: number | undefined;
  /** Without values and secrets, as in the log. */
  readonly reasons: readonly string[];
  readonly deleted: number;
}

/** `relay kept list` shows the rest. */
const mostReasons = 5;
const mostForms = 10;
const mostNamed = 50;

export const alertOf = (kind: Alert['kind'], notices: readonly Notice[]): Alert => ({
  kind,
  forms: [...new Set(notices.flatMap(({ forms }) => forms))].toSorted(),
  waiting: sum(notices, ({ waiting }) => waiting),
  aside: sum(notices, ({ aside }) => aside),
  oldestKeptAt: notices
    .map(({ oldestKeptAt }) => oldestKeptAt)
    .filter((at) => at !== undefined)
    .toSorted((a, b) => a - b)[0],
  reasons: [...new Set(notices.flatMap(({ whys }) => whys.map(({ words }) => words)))],
  deleted: sum(notices, ({ deleted }) => deleted),
});

const sum = (notices: readonly Notice[], of: (notice: Notice) => number) =>
  notices.reduce((total, one) => total + of(one), 0);

/** The values of `config/alerts_form.ts`, by field. */
export function alertValues(alert: Alert, now: number): ReadonlyMap<string, string> {
  const { kind, forms, waiting, aside, oldestKeptAt, reasons } = alert;
  const isOver = kind === 'delivered';
  const values = Object.entries({
    summary: summaryOf(alert, now),
    form: forms.length === 0 ? '' : formsInWords(forms, mostNamed),
    waiting: isOfKept(kind) ? String(waiting) : '',
    aside: numberOf(aside),
    oldest: oldestKeptAt === undefined ? '' : timeInWords(oldestKeptAt),
    reason: isOver ? '' : reasonsOf(reasons),
    what_to_do: whatToDo(alert),
    event: kind,
  });
  return new Map(values.filter(([, value]) => value !== ''));
}

const isOfKept = (kind: Alert['kind']) => !['keep_failed', 'unpruned', 'bounced'].includes(kind);

/** Whether such an alert would come back as well. */
function mailsOnlyTo({ target }: FormOutput, [address, ...others]: readonly string[], scope: Scope): boolean {
  const to = others.length === 0 ? recipientsOf(target) : [];
  return to.length > 0 && to.every((one) => bareAddress(one.render(scope)).toLowerCase() === address);
}

const numberOf = (many: number) => (many === 0 ? '' : String(many));

function summaryOf(alert: Alert, now: number): string {
  const { kind, forms, waiting, aside, oldestKeptAt, deleted } = alert;
  const who = formsInWords(forms);
  const age = oldestKeptAt === undefined ? '' : ageInWords(now - oldestKeptAt);
  switch (kind) {
    case 'kept':
      return `${who}: ${deliveries(waiting)} could not be made, and ${isOrAre(waiting)} kept`;
    case 'waiting':
      return `${who}: ${deliveries(waiting)} still ${waitOrWaits(waiting)}`;
    case 'aside':
      return `${who}: ${deliveries(aside)} ${waitOrWaits(aside)} for you`;
    case 'old':
      return `${who}: ${deliveries(waiting)} ${waitOrWaits(waiting)}, the oldest for ${age}`;
    case 'delivered':
      return deleted > 0
        ? `${who}: nothing waits any more; ${deliveries(deleted)} ${deleted === 1 ? 'was' : 'were'} deleted, since the time was over`
        : `${who}: all is delivered again, and nothing waits any more`;
    case 'keep_failed':
      return `${who}: submissions are lost: they could be neither delivered nor kept`;
    case 'unpruned':
      return 'Old submissions were not removed from an archive';
    case 'bounced': {
      const whose = addressesInWords(alert.addresses);
      return alert.mark === 'complaint'
        ? `${who}: a mail to ${whose} was marked as spam, so that further ones may not arrive`
        : `${who}: mails to ${whose} come back, so that submissions go nowhere`;
    }
  }
}

function addressesInWords(addresses: readonly string[] = []): string {
  if (addresses.length === 0) return 'one of your addresses';
  return addresses.length === 1 ? (addresses[0] ?? '') : `one of ${addresses.slice(0, mostForms).join(', ')}`;
}

const deliveries = (many: number) => (many === 1 ? '1 delivery' : `${many} deliveries`);
const waitOrWaits = (many: number) => (many === 1 ? 'waits' : 'wait');
const isOrAre = (many: number) => (many === 1 ? 'is' : 'are');

function formsInWords(forms: readonly string[], most = mostForms): string {
  if (forms.length === 0) return 'Forms';
  const more = forms.length - most;
  return more > 0 ? `${forms.slice(0, most).join(', ')} and ${more} more` : forms.join(', ');
}

const reasonsOf = (reasons: readonly string[]) =>
  [
    ...reasons.slice(0, mostReasons),
    ...(reasons.length > mostReasons ? [`and ${reasons.length - mostReasons} more reasons`] : []),
  ].join('\n');

const timeInWords = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;

function whatToDo({ kind, aside, addresses = [] }: Alert): string {
  if (kind === 'delivered') return '';
  if (kind === 'bounced') {
    const correct =
      'Correct the address in the config, or its mailbox, and remove it from your mail provider’s suppression list.';
    const [address, ...others] = addresses;
    // Only one that is known is on the list.
    return address === undefined || others.length > 0
      ? correct
      : `${correct} Then run relay mails unblock ${address}, so that you are told again.`;
  }
  if (kind === 'keep_failed')
    return 'Their senders read that it could not be sent. See what the reason says; relay doctor looks at where deliveries are kept.';
  if (kind === 'unpruned')
    return 'See what the reason says. relay archive prune --dry-run shows what would go; relay archive prune --yes removes it.';
  const look = 'relay kept list shows what waits.';
  return aside > 0
    ? `What waits for you is not tried again by itself: mend what the reason says, then run relay kept retry. ${look}`
    : `It is tried again by itself. See to what the reason says. ${look}`;
}
