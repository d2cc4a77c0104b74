import type { DeliveryResult, Form, FormOutput, Services } from '@form-relay/core/index';
import {
  ClientError,
  deliverTo,
  ok,
  restoreSubmission,
  stackOf,
  stepOf,
  throttledReport,
  traceOf,
} from '@form-relay/core/kit';
import type { AttemptResult, QueueContext } from './context.ts';
import { type HostQueues, hostOf } from './host_queues.ts';
import { owingPlace } from './output_match.ts';
import { quietServices } from './quiet_services.ts';
import { nextAttempt, nextTry, reasonOf } from './retry_policy.ts';
import type { FailureReason, Lease, Queued } from './store.ts';
import { openContent, type QueuedSubmission } from './stores/content.ts';
import { answerTo, declined, gone, unread, type Verdict, verdictOn } from './verdict.ts';

interface AttemptOptions {
  /** The content, if it is still in memory. Such a delivery was never tried, and doesn't queue. */
  readonly known?: Known;
  /** Waits before the store is asked again to settle it; resolves with `false` if there is no time. Default: no time. */
  readonly rest?: Rest;
  /** Asked at the head of the queue: `false` leaves it claimed. Default: `true`. */
  readonly mayBegin?: (() => boolean) | undefined;
}

/** How often its message was sent, and how long that took. */
type Sent = Pick<DeliveryResult, 'tries' | 'ms'>;

interface Manner extends Omit<AttemptOptions, 'rest'> {
  readonly onSent: (result: Sent) => void;
}

export interface Known {
  readonly form: Form;
  readonly submission: QueuedSubmission;
}

export type Rest = (ms: number) => Promise<boolean>;

/** The time that a delivery may take. */
const submissionBudgetMs = 24_000;

const noTime: Rest = async () => false;

/** The waits before a store is asked again to settle a claim; each twice as long, up to `most`. */
const settleAgainMs = { first: 1_000, most: 60_000 };

/** How much longer than `for` a delivery may wait for its last try. */
const untriedGrace = 1.1;

/** How many reasons postponed deliveries are counted by. */
const mostCounted = 1_000;

/** Tries a claimed delivery once and settles it: delivered, due again, or set aside. Never rejects. */
export class Attempts {
  readonly #services: Services;
  readonly #tellPutOff = new Map<string, (words: string) => void>();
  readonly #tellUnsettled: (reason: string) => void;

  constructor(
    private readonly context: QueueContext,
    private readonly hosts: HostQueues,
  ) {
    this.#services = context.services;
    this.#tellUnsettled = throttledReport(context.services.now, (deliveries, reason: string) =>
      context.services.log('error', 'kept_unsettled', { deliveries, reason }),
    );
  }

  async run(claim: Lease, { known, rest = noTime, mayBegin }: AttemptOptions = {}): Promise<void> {
    const { kept } = claim;
    // Each attempt is a step of its own in the trace of the request.
    const trace = stepOf(traceOf(undefined, requestIdOf(kept.id), this.#services.uuid), this.#services.uuid);
    let isEnded = false;
    let sent: Sent = { tries: 0, ms: 0 };
    const onSent = (result: Sent) => {
      sent = result;
    };
    try {
      const verdict = await this.#try(claim, trace, { known, mayBegin, onSent });
      if (!verdict) return;
      const { settle, result } = this.#settlementOf(claim, verdict);
      if (!(await this.#isSettled(settle, rest))) return;
      isEnded = true;
      this.#log(kept, trace, result, sent);
      this.context.emit({ kind: 'tried', form: kept.form, result });
    } catch (error) {
      this.#services.log('error', 'internal_error', {
        request_id: requestIdOf(kept.id),
        trace_id: trace.traceId,
        stack: stackOf(error),
      });
      // A bug must not keep it claimed for as long as the process lives.
      if (!isEnded)
        await claim
          .reschedule(nextTry(kept.keptAt, this.#services.now(), this.#services.random), kept)
          .catch(() => {});
    }
  }

  async #try({ kept, isDamaged }: Lease, trace: Trace, manner: Manner): Promise<Verdict> {
    if (isDamaged) return unread('damaged');
    const form = manner.known?.form ?? (await this.context.config.forms())?.get(kept.form);
    if (!form) return this.#orphan(kept, gone.form);
    const place = owingPlace(form, kept.output);
    const output = place === undefined ? undefined : form.outputs[place];
    if (place === undefined || !output) return this.#orphan(kept, gone.output);
    return this.#visit(kept, trace, form, place, output, manner);
  }

  /** Waits for a config that has the output, unless the entry was altered, so that no config ever has it. */
  async #orphan(kept: Queued, why: FailureReason): Promise<Verdict> {
    const opened = await openContent(kept, this.context.keys);
    return opened.ok ? this.#reschedule(kept, why, { form: kept.form }) : unread(opened.error);
  }

  async #visit(
    kept: Queued,
    trace: Trace,
    form: Form,
    place: number,
    output: FormOutput,
    { known, mayBegin = () => true, onSent }: Manner,
  ): Promise<Verdict> {
    let verdict = undefined as Verdict;
    const deliver = async () => {
      if (!mayBegin()) return undefined;
      const opened = known ? ok(known.submission) : await openContent(kept, this.context.keys);
      if (!opened.ok) verdict = unread(opened.error);
      else if (!known && !this.#isAccepted(form, output, opened.value)) verdict = declined;
      if (!opened.ok || verdict) return undefined;
      const result = await deliverTo(output, place, {
        ...opened.value,
        formId: form.id,
        services: quietServices(form),
        deadline: this.#services.now() + submissionBudgetMs,
        deliveryId: kept.id,
        tracing: { ...trace, hops: opened.value.hops ?? 0 },
      });
      onSent(result);
      verdict = verdictOn(result.error);
      return result.error ?? 'taken';
    };
    const host = hostOf(output);
    const visited = await this.hosts.visit(host, deliver, known ? 'at_once' : 'queued');
    if (visited.kind === 'crowded') return { kind: 'untried', dueAt: visited.dueAt };
    if (visited.kind !== 'down') return verdict;
    const why = reasonOf(visited.why);
    // An earlier answer to this delivery says more than a failure of others.
    return { ...this.#reschedule(kept, why, { host }), why: answerTo(kept) ?? why };
  }

  /** The config may have changed since it was kept. */
  #isAccepted = (form: Form, { accepts }: FormOutput, submission: QueuedSubmission): boolean =>
    !accepts || accepts(restoreSubmission(form, submission, this.context.settings));

  #log(
    { id, form, output: { place, type } }: Queued,
    { traceId }: Trace,
    result: AttemptResult,
    { tries: sent, ms }: Sent,
  ): void {
    // Many may be put off at once, which has its own line.
    if (result.kind === 'put_off' && result.isUntried) return;
    this.#services.log(levels[result.kind], 'kept_delivery', {
      request_id: requestIdOf(id),
      trace_id: traceId,
      form,
      output: place,
      type,
      outcome: result.kind,
      tries: result.tries,
      ...(sent > 0 && { sent, ms }),
      age_s: Math.round(result.ageMs / 1_000),
      ...(result.kind === 'put_off' && { next: new Date(result.dueAt).toISOString() }),
      ...('aside' in result && { aside: result.aside }),
      ...('why' in result && { reason: result.why?.words }),
    });
  }

  /** Many may be put off for one reason at once: one line a second counts them. */
  #reschedule({ keptAt }: Queued, why: FailureReason, about: object): Verdict & { readonly kind: 'untried' } {
    const key = JSON.stringify([about, why.code]);
    const tell =
      this.#tellPutOff.get(key) ??
      throttledReport(this.#services.now, (deliveries, reason: string) =>
        this.#services.log('warn', 'kept_put_off', { ...about, deliveries, reason }),
      );
    if (this.#tellPutOff.size > mostCounted) this.#tellPutOff.clear();
    this.#tellPutOff.set(key, tell);
    tell(why.words);
    const dueAt = nextAttempt(keptAt, this.#services.now(), this.#services.random);
    return { kind: 'untried', dueAt, why };
  }

  #settlementOf(claim: Lease, verdict: NonNullable<Verdict>): Settlement {
    const now = this.#services.now();
    const { keptAt, tries: before } = claim.kept;
    const ageMs = Math.max(0, now - keptAt);
    const isUntried = verdict.kind === 'untried' || (verdict.kind === 'aside' && verdict.isUntried === true);
    const tries = before + (isUntried ? 0 : 1);
    if (verdict.kind === 'taken')
      return { settle: () => claim.done(), result: { kind: 'delivered', tries, ageMs } };
    const { why = claim.kept.why } = verdict;
    const kept = { ...claim.kept, tries, why };
    if (verdict.kind === 'aside') {
      const { aside, why } = verdict;
      const settle = () => claim.setAside(aside, kept);
      return { settle, result: { kind: 'aside', aside, tries, ageMs, why } };
    }
    const { forMs = Infinity, then } = this.context.keep() ?? {};
    const isOver = ageMs >= forMs * (isUntried ? untriedGrace : 1);
    if (verdict.why && isOver) {
      const about = { aside: 'expired', tries, ageMs, why: verdict.why } as const;
      return then === 'delete'
        ? { settle: () => claim.done(), result: { kind: 'deleted', ...about } }
        : { settle: () => claim.setAside('expired', kept), result: { kind: 'aside', ...about } };
    }
    const dueAt =
      verdict.kind === 'untried'
        ? verdict.dueAt
        : nextTry(keptAt, now, this.#services.random, { retryAfterMs: verdict.retryAfterMs, forMs });
    return {
      settle: () => claim.reschedule(dueAt, kept),
      result: { kind: 'put_off', dueAt, tries, ageMs, why: verdict.why, ...(isUntried && { isUntried }) },
    };
  }

  /** Retries until it is settled. `false`: it is not, and comes again. */
  async #isSettled(settle: () => Promise<void>, rest: Rest): Promise<boolean> {
    for (let waitMs = settleAgainMs.first; ; waitMs = Math.min(waitMs * 2, settleAgainMs.most)) {
      try {
        await settle();
        return true;
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        this.#tellUnsettled(error.message);
        if (error.code === 'claim_lost' || !(await rest(waitMs))) return false;
      }
    }
  }
}

const requestIdOf = (id: string) => id.replace(/-\d+$/, '');

/** A wait for its owner is an error. */
const levels = { delivered: 'info', put_off: 'warn', aside: 'error', deleted: 'error' } as const;

type Trace = ReturnType<typeof traceOf>;

interface Settlement {
  readonly settle: () => Promise<void>;
  readonly result: AttemptResult;
}
