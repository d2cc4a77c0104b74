import { createHash } from 'node:crypto';
import { stackOf } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { FormOutput, PluginContext, Services, Settings, Submission } from '@form-relay/core/index';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import type { Leases } from '@form-relay/stores/store';
import type { Alerts } from './alerts.ts';
import type { Notice, NoticeKind } from './monitor.ts';
import { deliverQuietly, wordsOf } from './retry_policy.ts';
import { ageInWords } from './store_status.ts';

const minute = 60_000;
const dayMs = 86_400_000;

/** The pause between alerts. The next alert covers what happened in the meantime. */
export const pauseMs = 10 * minute;

/** The waits before a failed alert is retried. After the last retry, the alert is dropped. */
const retryWaitsMs = [minute, 5 * minute, 15 * minute];

interface PendingAlert {
  readonly output: FormOutput;
  readonly place: number;
  readonly form: Alerts['form'];
  readonly alert: Alert;
  /** The same for every retry, including the id. */
  readonly submission: Pick<Submission, 'requestId' | 'receivedAt' | 'values' | 'files'>;
  tries: number;
  dueAt: number;
}

/** Alerts the owner through the outputs of `alerts`. */
export class AlertSender {
  readonly #pending = new Set<PendingAlert>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(
    private readonly services: Services,
    private readonly settings: Settings,
    private readonly hold: PluginContext['hold'],
  ) {}

  /** Sends a notice unless another process that shares the store has sent it, as far as the store can tell. */
  async notice(notice: Notice, to: Alerts, store: Leases): Promise<void> {
    if (await isFirst(notice, store, this.services.now())) this.#enqueue(notice, to);
  }

  /** Reports submissions that could be neither delivered nor queued: the reasons, by form. */
  keepFailed(lost: ReadonlyMap<string, string>, to: Alerts): void {
    const [forms, reasons] = [[...lost.keys()].toSorted(), [...new Set(lost.values())]];
    this.#enqueue({ ...nothingWaits, kind: 'keep_failed', forms, reasons }, to);
  }

  unpruned(reason: string, to: Alerts): void {
    this.#enqueue({ ...nothingWaits, kind: 'unpruned', forms: [], reasons: [reason] }, to);
  }

  /** Reports a client whose config fails to load, and when it loads again. */
  canary(result: 'failed' | 'passed', form: string, reason: string, to: Alerts): void {
    this.#enqueue(
      { ...nothingWaits, kind: `canary_${result}`, forms: [form], reasons: reason ? [reason] : [] },
      to,
    );
  }

  /** Reports that a client's config does not load, and later that it loads again. */
  client(result: 'broken' | 'mended', client: string, reason: string, to: Alerts): void {
    this.#enqueue({ ...nothingWaits, kind: `client_${result}`, forms: [client], reasons: [reason] }, to);
  }

  retry(): void {
    const now = this.services.now();
    for (const one of this.#pending) if (one.dueAt <= now) this.#begin(one);
  }

  async close(): Promise<void> {
    this.#pending.clear();
    await Promise.all(this.#underWay);
  }

  #enqueue(alert: Alert, { form }: Alerts): void {
    const now = this.services.now();
    const values = new Map([...alertValues(alert, now)].map(([name, value]) => [name, [value]] as const));
    const submission = {
      requestId: `alert-${this.services.uuid()}`,
      receivedAt: now,
      values,
      files: new Map(),
    };
    const restored = restoreSubmission(form, submission, this.settings);
    for (const [place, output] of form.outputs.entries()) {
      if (output.accepts?.(restored) === false) continue;
      this.#begin({ output, place, form, alert, submission, tries: 0, dueAt: now });
    }
  }

  #begin(pending: PendingAlert): void {
    this.#pending.delete(pending);
    const work = this.#send(pending).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async #send(pending: PendingAlert): Promise<void> {
    const { form, place, submission } = pending;
    try {
      const { error } = await this.hold(() => deliverQuietly(form, place, submission));
      pending.tries += 1;
      if (error) return this.#failed(pending, wordsOf(error));
      this.#log('info', 'alert_sent', pending);
    } catch (error) {
      this.#log('error', 'internal_error', pending, { stack: stackOf(error) });
    }
  }

  #failed(pending: PendingAlert, reason: string): void {
    const wait = retryWaitsMs[pending.tries - 1];
    if (wait === undefined) {
      this.#log('error', 'alert_failed', pending, { reason });
      return;
    }
    pending.dueAt = this.services.now() + Math.round(wait * (1 + this.services.random() / 10));
    this.#pending.add(pending);
    this.#log('error', 'alert_failed', pending, { reason, next: new Date(pending.dueAt).toISOString() });
  }

  #log(
    level: 'info' | 'error',
    event: string,
    { alert, output, place, tries }: PendingAlert,
    more = {},
  ): void {
    const { kind, forms } = alert;
    const { type } = output;
    this.services.log(level, event, { alert: kind, forms, output: place, type, tries, ...more });
  }
}

const nothingWaits = { waiting: 0, deadLetters: 0, oldestKeptAt: undefined };

const askingMs = 5_000;

/** Whether no other process has sent this alert. If unsure, true: a second alert is better than none. */
async function isFirst({ kind, forms, deadLetters, oldestKeptAt }: Notice, store: Leases, now: number) {
  const turn = Math.floor(now / pauseMs);
  const what = {
    kept: [forms, oldestKeptAt],
    waiting: Math.floor(now / dayMs),
    aside: [deadLetters, turn],
    delivered: turn,
  }[kind];
  const name = createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16);
  try {
    const first = store.isFirst?.(`alert-${kind}-${name}`);
    return await withTimeout(askingMs, first ?? Promise.resolve(true), () => true);
  } catch {
    return true;
  }
}

/** A message to the owner, for example about queued deliveries. */
interface Alert extends Omit<Notice, 'kind'> {
  readonly kind:
    | NoticeKind
    | 'keep_failed'
    | 'unpruned'
    | 'canary_failed'
    | 'canary_passed'
    | `client_${'broken' | 'mended'}`;
}

/** `relay kept list` shows the rest. */
const mostReasons = 5;
const mostForms = 10;
const mostNamed = 50;

/** The values for the fields of `alerts.ts`. */
export function alertValues(alert: Alert, now: number): ReadonlyMap<string, string> {
  const { kind, forms, waiting, deadLetters, oldestKeptAt, reasons } = alert;
  const isOver = /^(delivered|canary_passed|client_mended)$/.test(kind);
  const values = Object.entries({
    summary: summaryOf(alert, now),
    form: forms.length === 0 ? '' : formsInWords(forms, mostNamed),
    waiting: /^(keep_failed|unpruned|(canary|client)_\w+)$/.test(kind) ? '' : String(waiting),
    aside: deadLetters === 0 ? '' : String(deadLetters),
    oldest: oldestKeptAt === undefined ? '' : `${new Date(oldestKeptAt).toISOString().slice(0, 19)}Z`,
    reason: isOver ? '' : reasonsOf(reasons),
    what_to_do: whatToDo(alert),
    event: kind,
  });
  return new Map(values.filter(([, value]) => value !== ''));
}

function summaryOf({ kind, forms, waiting, deadLetters, oldestKeptAt }: Alert, now: number): string {
  const who = formsInWords(forms);
  const age = oldestKeptAt === undefined ? '' : ageInWords(now - oldestKeptAt);
  switch (kind) {
    case 'kept':
      return `${who}: ${deliveries(waiting)} failed and ${isOrAre(waiting)} queued`;
    case 'waiting':
      return `${who}: ${deliveries(waiting)} ${isOrAre(waiting)} still queued${age && `, ${waiting === 1 ? '' : 'the oldest '}for ${age}`}`;
    case 'aside':
      return `${who}: ${deadLetters === 1 ? '1 dead letter needs' : `${deadLetters} dead letters need`} your attention`;
    case 'delivered':
      return `${who}: all queued deliveries have succeeded`;
    case 'keep_failed':
      return `${who}: submissions were lost, because they could not be delivered or queued`;
    case 'unpruned':
      return 'Old submissions were not removed from an archive';
    case 'canary_failed':
      return `${who}: a test of the form failed`;
    case 'canary_passed':
      return `${who}: tests of the form pass again`;
    case 'client_broken':
      return `${who}: the config of this client does not load`;
    case 'client_mended':
      return `${who}: the config of this client loads again`;
  }
}

const deliveries = (many: number) => (many === 1 ? '1 delivery' : `${many} deliveries`);
const isOrAre = (many: number) => (many === 1 ? 'is' : 'are');

function formsInWords(forms: readonly string[], most = mostForms): string {
  if (forms.length === 0) return 'Forms';
  const more = forms.length - most;
  return more > 0 ? `${forms.slice(0, most).join(', ')} and ${more} more` : forms.join(', ');
}

const reasonsOf = (reasons: readonly string[]) =>
  [
    ...reasons.slice(0, mostReasons),
    ...(reasons.length > mostReasons ? [`and ${reasons.length - mostReasons} more`] : []),
  ].join('\n');

function whatToDo({ kind, deadLetters }: Alert): string {
  if (/^(delivered|canary_passed|client_mended)$/.test(kind)) return '';
  if (kind === 'keep_failed')
    return 'Visitors saw an error. Fix the cause above; check the store with relay doctor.';
  if (kind === 'unpruned')
    return 'See the reason above. relay archive prune --dry-run lists the submissions to remove; relay archive prune --yes removes them.';
  if (kind === 'canary_failed')
    return 'Submissions may be lost or delayed. Fix the cause above, then test with relay canary. Another alert follows when tests pass.';
  if (kind === 'client_broken')
    return 'The client keeps its last good config; without one, requests to its forms are answered with 503. Fix the cause above; relay clients lists all clients.';
  const look = 'relay kept list shows all queued deliveries.';
  return deadLetters > 0
    ? `Dead letters are not retried automatically: fix the cause above, then run relay kept retry. ${look}`
    : `The relay retries automatically. Fix the cause above. ${look}`;
}
