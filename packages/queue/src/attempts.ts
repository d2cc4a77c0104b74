import { ClientError, stackOf } from '@form-relay/base/client_error';
import { ok } from '@form-relay/base/result';
import { throttledReport } from '@form-relay/base/throttled';
import { stepOf, traceOf } from '@form-relay/base/trace_context';
import { clientOf } from '@form-relay/base/url';
import type { DeliveryResult, Form, FormOutput, Services } from '@form-relay/core/index';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { foreignIn } from '@form-relay/stores/entry';
import type { DeadLetterReason, FailureReason, Lease, Queued } from '@form-relay/stores/store';
import { type ContentProblem, openContent, type QueuedSubmission } from './content.ts';
import { isHeld, lapsed, waitingSince } from './held.ts';
import type { HostQueues } from './host_queues.ts';
import { findOutput } from './output_match.ts';
import type { AttemptOutcome, QueueContext } from './queue.ts';
import { deliverQuietly, mayPass, nextAttempt, nextTry, reasonOf } from './retry_policy.ts';

interface AttemptOptions {
  /** The content, if it is still in memory: the delivery was never tried, and does not wait in a host's queue. */
  readonly known?: { readonly form: Form; readonly submission: QueuedSubmission };
  /** Waits before the store is asked again to settle the lease; resolves with `false` if there is no time. Default: no time. */
  readonly rest?: Rest;
  /** Called at the head of the queue: `false` leaves the delivery leased. Default: `true`. */
  readonly mayBegin?: () => boolean;
}

export type Rest = (ms: number) => Promise<boolean>;

const noTime: Rest = async () => false;

/** The waits between attempts to settle a lease in a store; each is twice as long, up to `most`. */
const settleAgainMs = { first: 1_000, most: 60_000 };

/** How much longer than `for` a delivery may wait for its last try. */
const untriedGrace = 1.1;

/** The maximum number of reasons whose rescheduled deliveries are counted. */
const mostCounted = 1_000;

/** Tries a leased delivery once and settles it as delivered, due again, or a dead letter. Never rejects. */
export class Attempts {
  readonly #services: Services;
  readonly #logRescheduled = new Map<string, (words: string) => void>();
  readonly #tellUnsettled: (reason: string) => void;
  readonly #tellForeign: (reason: string) => void;

  constructor(
    private readonly context: QueueContext,
    private readonly hosts: HostQueues,
  ) {
    this.#services = context.services;
    this.#tellUnsettled = throttledReport(context.services.now, (deliveries, reason: string) =>
      context.services.log('error', 'kept_unsettled', { deliveries, reason }),
    );
    this.#tellForeign = throttledReport(context.services.now, (deliveries, reason: string) =>
      context.services.log('error', 'keep_unavailable', { deliveries, reason }),
    );
  }

  async run(lease: Lease, { rest = noTime, ...options }: AttemptOptions = {}): Promise<void> {
    const { kept } = lease;
    // Leave the entry unchanged: the platform hands it out again, perhaps to a newer relay.
    if (foreignIn(kept)) return this.#tellForeign(kept.why?.words ?? '');
    // Each attempt is a span of its own in the trace of the request.
    const trace = stepOf(traceOf(undefined, requestIdOf(kept.id), this.#services.uuid), this.#services.uuid);
    let isEnded = false;
    try {
      const verdict = await this.#try(lease, trace, options);
      if (!verdict) return;
      const settlement = this.#settlementOf(lease, verdict);
      if (!(await this.#isSettled(settlement.settle, rest))) return;
      isEnded = true;
      const { outcome, why } = settlement;
      // Without a request, many may be rescheduled at once, and those are logged in summary.
      if (verdict.sent || outcome !== 'put_off') this.#log(kept, trace, verdict, settlement);
      this.context.emit({ kind: 'tried', form: kept.form, outcome, why });
    } catch (error) {
      this.#services.log('error', 'internal_error', {
        request_id: requestIdOf(kept.id),
        trace_id: trace.traceId,
        stack: stackOf(error),
      });
      // A bug must not keep the delivery leased until the process ends.
      if (!isEnded)
        await lease
          .reschedule(nextTry(kept.keptAt, this.#services.now(), this.#services.random), kept)
          .catch(() => {});
    }
  }

  async #try({ kept, isDamaged }: Lease, trace: Trace, options: AttemptOptions): Promise<Verdict> {
    if (isDamaged) return unread('damaged');
    if (isHeld(kept)) return { kind: 'dead_letter', reason: 'expired', why: lapsed(kept) };
    const form = options.known?.form ?? (await this.context.config.forms())?.get(kept.form);
    if (!form) return this.#orphan(kept, gone.form);
    const place = findOutput(form, kept.output);
    if (place === undefined) return this.#orphan(kept, gone.output);
    return this.#visit(kept, trace, form, place, options);
  }

  /**
   * Reschedules a delivery until a config has its output again. Reports an altered entry, because no config
   * will ever have its output.
   */
  async #orphan(kept: Queued, why: FailureReason): Promise<Verdict> {
    const opened = await openContent(kept, this.context.keys);
    return opened.ok ? this.#reschedule(kept, why, { form: kept.form }) : unread(opened.error);
  }

  async #visit(
    kept: Queued,
    trace: Trace,
    form: Form,
    place: number,
    { known, mayBegin = () => true }: AttemptOptions,
  ): Promise<Verdict> {
    let verdict = undefined as Verdict;
    const deliver = async () => {
      if (mayBegin()) verdict = await this.#deliver(kept, trace, form, place, known?.submission);
      return verdict?.sent && (verdict.sent.error ?? 'taken');
    };
    const { transport, type } = form.outputs[place] as FormOutput;
    // Deliveries to the same host share a queue.
    const host = transport?.host ?? type;
    const manner = known ? 'at_once' : 'queued';
    const refused = await this.hosts.visit(host, deliver, manner, clientOf(form.id));
    if (refused?.kind === 'crowded') return { kind: 'untried', dueAt: refused.dueAt };
    return refused?.kind === 'down' ? this.#reschedule(kept, reasonOf(refused.why), { host }) : verdict;
  }

  async #deliver(
    kept: Queued,
    trace: Trace,
    form: Form,
    place: number,
    known: QueuedSubmission | undefined,
  ): Promise<Verdict> {
    const opened = known ? ok(known) : await openContent(kept, this.context.keys);
    if (!opened.ok) return unread(opened.error);
    const { value } = opened;
    const accepts = known ? undefined : form.outputs[place]?.accepts;
    // The config may have changed since the delivery was queued.
    if (accepts && !accepts(restoreSubmission(form, value, this.context.settings))) return declined;
    const tracing = { ...trace, hops: value.hops ?? 0 };
    const about = { ...value, deliveryId: kept.id, tracing };
    return verdictOn(await this.context.hold(() => deliverQuietly(form, place, about)));
  }

  #log(
    { id, form, output: { place, type } }: Queued,
    { traceId }: Trace,
    { sent }: NonNullable<Verdict>,
    { outcome, tries, ageMs, dueAt, deadLetter, why }: Settlement,
  ): void {
    this.#services.log(levels[outcome], 'kept_delivery', {
      request_id: requestIdOf(id),
      trace_id: traceId,
      form,
      output: place,
      type,
      outcome,
      tries,
      ...(sent && sent.tries > 0 && { sent: sent.tries, ms: sent.ms }),
      age_s: Math.round(ageMs / 1_000),
      ...(dueAt !== undefined && { next: new Date(dueAt).toISOString() }),
      ...(deadLetter && { aside: deadLetter }),
      ...(why && { reason: why.words }),
    });
  }

  /** Reschedules a delivery. Many may be rescheduled for the same reason at once, so one log line a second counts them. */
  #reschedule({ keptAt }: Queued, why: FailureReason, about: object) {
    const key = JSON.stringify([about, why.code]);
    const tell =
      this.#logRescheduled.get(key) ??
      throttledReport(this.#services.now, (deliveries, reason: string) =>
        this.#services.log('warn', 'kept_put_off', { ...about, deliveries, reason }),
      );
    if (this.#logRescheduled.size > mostCounted) this.#logRescheduled.clear();
    this.#logRescheduled.set(key, tell);
    tell(why.words);
    const dueAt = nextAttempt(keptAt, this.#services.now(), this.#services.random);
    return { kind: 'untried', dueAt, why } as const;
  }

  #settlementOf(lease: Lease, verdict: NonNullable<Verdict>): Settlement {
    const now = this.#services.now();
    const keptAt = waitingSince(lease.kept);
    const ageMs = Math.max(0, now - keptAt);
    const tries = lease.kept.tries + (verdict.sent ? 1 : 0);
    const about = { tries, ageMs, why: verdict.kind === 'taken' ? undefined : verdict.why };
    if (verdict.kind === 'taken') return { ...about, outcome: 'delivered', settle: () => lease.done() };
    const kept = { ...lease.kept, keptAt, tries, why: about.why ?? lease.kept.why };
    const deadLetter = (reason: DeadLetterReason): Settlement => ({
      ...about,
      outcome: 'aside',
      deadLetter: reason,
      settle: () => lease.deadLetter(reason, kept),
    });
    if (verdict.kind === 'dead_letter') return deadLetter(verdict.reason);
    const { forMs = Infinity } = this.context.keep() ?? {};
    const isOver = ageMs >= forMs * (verdict.sent ? 1 : untriedGrace);
    if (about.why && isOver) return deadLetter('expired');
    const dueAt =
      verdict.kind === 'untried'
        ? verdict.dueAt
        : nextTry(keptAt, now, this.#services.random, { retryAfterMs: verdict.retryAfterMs, forMs });
    return { ...about, outcome: 'put_off', dueAt, settle: () => lease.reschedule(dueAt, kept) };
  }

  /** Retries until the lease is settled. Resolves with `false` if it is not, and the delivery will be handed out again. */
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

/** A dead letter is logged as an error, because only its owner can resolve it. */
const levels = { delivered: 'info', put_off: 'warn', aside: 'error' } as const;

type Trace = ReturnType<typeof traceOf>;

interface Settlement {
  readonly outcome: AttemptOutcome;
  readonly tries: number;
  readonly ageMs: number;
  readonly why?: FailureReason | undefined;
  readonly deadLetter?: DeadLetterReason;
  readonly dueAt?: number;
  settle(): Promise<void>;
}

/** The result of an attempt. `undefined` if there was no time for it, and the delivery stays leased. */
export type Verdict =
  | { readonly kind: 'taken'; readonly sent: DeliveryResult }
  | {
      readonly kind: 'failed';
      readonly why: FailureReason;
      readonly retryAfterMs: number | undefined;
      readonly sent: DeliveryResult;
    }
  /** Only the owner can resolve it. Without `sent`, no request was made. */
  | {
      readonly kind: 'dead_letter';
      readonly reason: DeadLetterReason;
      readonly why: FailureReason;
      readonly sent?: DeliveryResult;
    }
  /** No request was made; due again at `dueAt`. `why` is what prevents the attempt; with it, the delivery can expire. */
  | { readonly kind: 'untried'; readonly dueAt: number; readonly why?: FailureReason; readonly sent?: never }
  | undefined;

export function verdictOn(sent: DeliveryResult): Verdict {
  const { error } = sent;
  if (error === undefined) return { kind: 'taken', sent };
  const why = reasonOf(error);
  if (!mayPass(error)) return { kind: 'dead_letter', reason: 'refused', why, sent };
  return {
    kind: 'failed',
    why,
    retryAfterMs: error instanceof ClientError ? error.retryAfterMs : undefined,
    sent,
  };
}

/** The verdict on unreadable content: a dead letter for the owner. */
export const unread = (problem: ContentProblem): Verdict => ({
  kind: 'dead_letter',
  reason: 'unreadable',
  why: unreadable[problem],
});

export const declined: Verdict = {
  kind: 'dead_letter',
  reason: 'refused',
  // The reason must not reveal what a visitor chose.
  why: {
    code: 'output_declines',
    words: 'the `when` or `aside` of the output no longer accepts this submission',
  },
};

export const gone = {
  form: { code: 'form_gone', words: 'the config no longer has a form with this name' },
  output: { code: 'output_gone', words: 'the form no longer has this output' },
} as const;

const unreadable: Readonly<Record<ContentProblem, FailureReason>> = {
  damaged: { code: 'damaged', words: 'the entry is damaged' },
  other_secret: {
    code: 'other_secret',
    words: 'the entry is encrypted with another KEEP_SECRET, damaged, or altered in the store',
  },
  no_secret: { code: 'no_secret', words: 'the entry is encrypted, and KEEP_SECRET is not set' },
  unencrypted: {
    code: 'unencrypted',
    words:
      'the entry is not encrypted, although KEEP_SECRET is set: anyone who can write to the store may have forged it',
  },
  altered: { code: 'altered', words: 'the output or time of the entry was altered in the store' },
};
