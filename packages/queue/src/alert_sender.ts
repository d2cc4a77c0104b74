import { createHash } from 'node:crypto';
import type { FormOutput, Services, Settings, Submission } from '@form-relay/core/index';
import { restoreSubmission, stackOf, Template, templateContext, withTimeout } from '@form-relay/core/kit';
import { type Alert, alertOf, alertValues } from './alert_text.ts';
import type { Alerts, OwnersAlert } from './alerts.ts';
import type { Notice } from './incidents.ts';
import { deliverQuietly } from './quiet_services.ts';
import { wordsOf } from './retry_policy.ts';
import type { Store } from './store.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The waits before retries of a failed alert, which is then given up. */
const retryWaitsMs = [minute, 5 * minute, 15 * minute];

interface PendingAlert {
  readonly output: FormOutput;
  readonly place: number;
  readonly form: Alerts['form'];
  readonly alert: Alert;
  /** Has the same id at each try. */
  readonly submission: Pick<Submission, 'requestId' | 'receivedAt' | 'values' | 'files'>;
  readonly told?: (() => Promise<void>) | undefined;
  tries: number;
  dueAt: number;
}

type TemplateContext = ReturnType<typeof templateContext>;

/** An outage must not fill the memory. */
const mostPending = 200;

/** Alerts the owner through the outputs of `alerts`. */
export class AlertSender {
  readonly #pending = new Set<PendingAlert>();
  readonly #underWay = new Set<Promise<void>>();
  /** When lost submissions of a form were last reported. */
  readonly #lostAt = new Map<string, number>();

  constructor(
    private readonly services: Services,
    private readonly settings: Settings,
  ) {}

  /** Sends each notice from one of the processes that share the store, as far as the store can tell. */
  async notices(notices: readonly Notice[], to: Alerts, store: Store): Promise<void> {
    const now = this.services.now();
    const areFirst = await Promise.all(notices.map((one) => isFirst(one, store, now)));
    const first = notices.filter((_, index) => areFirst[index]);
    for (const kind of new Set(first.map((one) => one.kind))) {
      const some = first.filter((one) => one.kind === kind);
      this.#tell(alertOf(kind, some), to);
    }
  }

  /** Reports a submission that could be neither delivered nor kept. */
  keepFailed(form: string, words: string, to: Alerts): void {
    const now = this.services.now();
    for (const [one, at] of this.#lostAt) if (now - at >= hour || at > now) this.#lostAt.delete(one);
    if (this.#lostAt.has(form) || this.#lostAt.size >= mostPending) return;
    this.#lostAt.set(form, now);
    this.#tell({ ...alertOf('keep_failed', []), forms: [form], reasons: [words] }, to);
  }

  /** Sends the alert of another plug-in. Resolves after the first try. */
  async send({ kind, forms, reasons, addresses, mark, told }: OwnersAlert, to: Alerts): Promise<void> {
    const about = addresses?.join(' ');
    // The retry of an earlier one will tell the same.
    if (about !== undefined && [...this.#pending].some(({ alert }) => alert.addresses?.join(' ') === about))
      return;
    const alert = { ...alertOf(kind, []), forms: forms.toSorted(), reasons, addresses, mark };
    const context = templateContext(to.form.id, new Map(), this.services.now(), this.services);
    this.#tell(alert, to, { isFor: (output) => !mailsOnlyTo(output, addresses, context), told });
    await Promise.all(this.#underWay);
  }

  retry(): void {
    const now = this.services.now();
    for (const one of this.#pending) if (one.dueAt <= now) this.#begin(one);
  }

  async close(): Promise<void> {
    this.#pending.clear();
    await Promise.all(this.#underWay);
  }

  #tell(
    alert: Alert,
    { form }: Alerts,
    { isFor, told }: { isFor?(output: FormOutput): boolean; told?: PendingAlert['told'] } = {},
  ): void {
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
      if (this.#pending.size >= mostPending || output.accepts?.(restored) === false) continue;
      if (isFor && !isFor(output)) continue;
      this.#begin({ output, place, form, alert, submission, tries: 0, dueAt: now, told });
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
      const { error } = await deliverQuietly(form, place, submission);
      pending.tries += 1;
      if (error) return this.#failed(pending, wordsOf(error));
      this.#log('info', 'alert_sent', pending);
      await pending.told?.();
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

const askingMs = 5_000;

/** Whether no other process has sent it within the hour, or the day if it is sent daily. A second alert is better than none. */
async function isFirst({ kind, key }: Notice, store: Store, now: number): Promise<boolean> {
  const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const length = kind === 'waiting' || kind === 'old' ? day : hour;
  try {
    const asked = store.isFirst?.(`alert-${kind}-${name}-${Math.floor(now / length)}`);
    return await withTimeout(askingMs, asked ?? Promise.resolve(true), () => true);
  } catch {
    return true;
  }
}

/** Whether such an alert would come back as well. */
function mailsOnlyTo(
  output: FormOutput & { readonly to?: unknown },
  [address, ...others]: readonly string[] = [],
  context: TemplateContext,
): boolean {
  const to = others.length === 0 && Array.isArray(output.to) ? output.to : [];
  return (
    to.length > 0 &&
    to.every((one) => one instanceof Template && bareAddress(one.render(context)) === address)
  );
}

const bareAddress = (mailbox: string) =>
  (/<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox).trim().toLowerCase();
