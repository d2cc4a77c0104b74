import { ClientError, stackOf } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import type { KeptEnding, Listener, Observer } from '../base/event.ts';
import type { Aside, Claim, ContentProblem, Kept, KeptReason } from '../base/kept.ts';
import { ok } from '../base/result.ts';
import { throttledReport } from '../base/throttled.ts';
import { idsOf, stepOf, type Trace, traceOf } from '../base/trace.ts';
import type { ConfigCache } from '../config/cache.ts';
import type { Form, FormOutput } from '../form.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { scopeOf } from '../schema/template/scope.ts';
import { type Deliverable, deliverTo, takes } from '../street/deliver.ts';
import { listen, submissionBudgetMs } from '../street/post_submission.ts';
import type { Transports } from '../transports/index.ts';
import { type HostQueues, hostOf, shownHost } from './host_queues.ts';
import { owingPlace } from './output_match.ts';
import { mayPass, nextAttempt, nextTry, reasonOf } from './retry_policy.ts';
import { openContent } from './stores/entry.ts';

export interface AttemptOptions {
  /** The content, if it is still in memory. Such a delivery was never tried, and doesn't queue. */
  readonly known?: Known;
  /** Waits before the store is asked again to settle it; resolves with `false` if there is no time. Default: no time. */
  readonly rest?: Rest;
  /** Asked at the head of the queue: `false` leaves it claimed. Default: `true`. */
  readonly mayBegin?: (() => boolean) | undefined;
}

interface Turn {
  readonly tell: Listener;
  readonly trace: Trace;
}

export interface Known {
  readonly form: Form;
  readonly submission: Omit<Deliverable, 'deadline'>;
}

export type Rest = (ms: number) => Promise<boolean>;

/** How an attempt ended. `undefined`: there was no time for it, and it stays claimed. */
type Tried =
  | { readonly kind: 'taken' }
  | { readonly kind: 'failed'; readonly why: KeptReason; readonly retryAfterMs: number | undefined }
  /** It waits for its owner. */
  | { readonly kind: 'aside'; readonly aside: Aside; readonly why: KeptReason; readonly isUntried?: true }
  /** No request was made, and it is due again at `dueAt`. `why`: what must pass first; then its time may run out. */
  | { readonly kind: 'untried'; readonly dueAt: number; readonly why?: KeptReason }
  | undefined;

const noTime: Rest = async () => false;

/** The waits before a store is asked again to settle a claim; each twice as long, up to `most`. */
const settleAgainMs = { first: 1_000, most: 60_000 };

/** How much longer than `for` a delivery may wait for its last try. */
const untriedGrace = 1.1;

/** How many reasons postponed deliveries are counted by. */
const mostCounted = 1_000;

/** Tries a claimed delivery once and settles it: delivered, due again, or set aside. Never rejects. */
export class Attempts {
  readonly #effects: Effects;
  readonly #tellPutOff = new Map<string, (words: string) => void>();
  readonly #tellUnsettled: (reason: string) => void;

  constructor(
    private readonly world: World,
    private readonly hosts: HostQueues,
  ) {
    this.#effects = world.effects;
    this.#tellUnsettled = throttledReport(world.effects.now, (deliveries, reason: string) =>
      world.effects.log('error', 'kept_unsettled', { deliveries, reason }),
    );
  }

  async run(claim: Claim, { known, rest = noTime, mayBegin }: AttemptOptions = {}): Promise<void> {
    const { kept } = claim;
    const requestId = kept.id.replace(/-\d+$/, '');
    // Each attempt is a step of its own in the trace of the request.
    const trace = stepOf(traceOf(undefined, requestId, this.#effects.uuid), this.#effects.uuid);
    let isEnded = false;
    try {
      const { receivedAt, form, output } = kept;
      const about = { requestId, formId: form, asked: form, receivedAt, trace, isKept: true } as const;
      const tell = listen(this.world.observers, about);
      const tried = await this.#tryOnce(claim, { tell, trace }, { known, mayBegin });
      const settlement = tried && this.#settlementOf(claim, tried);
      if (!settlement || !(await this.#isSettled(settlement.settle, rest))) return;
      isEnded = true;
      const { ending } = settlement;
      tell({ kind: 'kept_tried', output: output.place, type: output.type, ending });
    } catch (error) {
      this.#effects.log('error', 'internal_error', {
        ...idsOf({ requestId, trace }),
        stack: stackOf(error),
      });
      // A bug must not keep it claimed for as long as the process lives.
      if (!isEnded)
        await claim
          .putOff(nextTry(kept.keptAt, this.#effects.now(), this.#effects.random), kept)
          .catch(() => {});
    }
  }

  async #tryOnce({ kept, isDamaged }: Claim, turn: Turn, manner: AttemptOptions): Promise<Tried> {
    if (isDamaged) return unread('damaged');
    const form = manner.known?.form ?? (await this.world.config.get())?.forms.get(kept.form);
    if (!form) return this.#orphan(kept, gone.form);
    const place = owingPlace(form, kept.output);
    const output = place === undefined ? undefined : form.outputs[place];
    if (place === undefined || !output) return this.#orphan(kept, gone.output);
    return this.#visit(kept, { form, place, output }, turn, manner);
  }

  /** Waits for a config that has the output, unless the entry was altered, so that no config ever has it. */
  async #orphan(kept: Kept, why: KeptReason): Promise<Tried> {
    const opened = await openContent(kept, this.world.settings);
    return opened.ok ? this.#putOff(kept, why, { form: kept.form }) : unread(opened.error);
  }

  async #visit(
    kept: Kept,
    { form, place, output }: { readonly form: Form; readonly place: number; readonly output: FormOutput },
    turn: Turn,
    { known, mayBegin = () => true }: AttemptOptions,
  ): Promise<Tried> {
    let problem: ContentProblem | undefined;
    let isTooLate = false;
    let isDeclined = false;
    const deliver = async () => {
      isTooLate = !mayBegin();
      if (isTooLate) return undefined;
      const opened = known ? ok(known.submission) : await openContent(kept, this.world.settings);
      if (!opened.ok) {
        problem = opened.error;
        return undefined;
      }
      isDeclined = !known && !takes(output, form, opened.value.values);
      if (isDeclined) return undefined;
      const submission = { ...opened.value, deadline: this.#effects.now() + submissionBudgetMs };
      const scope = scopeOf(form.id, submission, this.#effects, form.fields);
      return deliverTo(
        output,
        place,
        submission,
        scope,
        {
          form,
          effects: this.#effects,
          transports: this.world.transports,
          tell: turn.tell,
          trace: { ...turn.trace, hops: submission.hops ?? 0 },
        },
        kept.id,
      );
    };
    const host = hostOf(output, this.#effects.env);
    const visited = await this.hosts.visit(host, deliver, known ? 'at_once' : 'queued');
    switch (visited.kind) {
      case 'closed':
        return undefined;
      case 'crowded':
        return { kind: 'untried', dueAt: visited.dueAt };
      case 'down': {
        const why = reasonOf(visited.why);
        // An earlier answer to this delivery says more than a failure of others.
        return { ...this.#putOff(kept, why, { host: shownHost(output, host) }), why: answerTo(kept) ?? why };
      }
      case 'ended': {
        const { ending } = visited;
        if (isTooLate) return undefined;
        if (isDeclined) return { kind: 'aside', aside: 'refused', why: declined, isUntried: true };
        if (ending === undefined) return unread(problem ?? 'damaged');
        if (ending === 'taken') return { kind: 'taken' };
        const why = reasonOf(ending);
        if (!mayPass(ending)) return { kind: 'aside', aside: 'refused', why };
        const retryAfterMs = ending instanceof ClientError ? ending.retryAfterMs : undefined;
        return { kind: 'failed', why, retryAfterMs };
      }
    }
  }

  /** Many may be put off for one reason at once: one line a second counts them. */
  #putOff({ keptAt }: Kept, why: KeptReason, about: object): Tried & { readonly kind: 'untried' } {
    const key = JSON.stringify([about, why.code]);
    const tell =
      this.#tellPutOff.get(key) ??
      throttledReport(this.#effects.now, (deliveries, reason: string) =>
        this.#effects.log('warn', 'kept_put_off', { ...about, deliveries, reason }),
      );
    if (this.#tellPutOff.size > mostCounted) this.#tellPutOff.clear();
    this.#tellPutOff.set(key, tell);
    tell(why.words);
    const dueAt = nextAttempt(keptAt, this.#effects.now(), this.#effects.random);
    return { kind: 'untried', dueAt, why };
  }

  #settlementOf(claim: Claim, tried: NonNullable<Tried>): Settlement {
    const now = this.#effects.now();
    const { keptAt, tries } = claim.kept;
    const ageMs = Math.max(0, now - keptAt);
    const { forMs = Infinity, then } = this.world.config.current?.keep ?? {};
    switch (tried.kind) {
      case 'taken':
        return { settle: () => claim.done(), ending: { kind: 'delivered', tries: tries + 1, ageMs } };
      case 'failed': {
        const kept = { ...claim.kept, tries: tries + 1, why: tried.why };
        if (ageMs >= forMs) return over(claim, kept, tried.why, ageMs, then);
        const { retryAfterMs } = tried;
        const dueAt = nextTry(keptAt, now, this.#effects.random, { retryAfterMs, forMs });
        const ending = { kind: 'put_off', dueAt, tries: kept.tries, ageMs, why: tried.why } as const;
        return { settle: () => claim.putOff(dueAt, kept), ending };
      }
      case 'aside': {
        const { aside, why, isUntried } = tried;
        const kept = { ...claim.kept, tries: tries + (isUntried ? 0 : 1), why };
        const ending = { kind: 'aside', aside, tries: kept.tries, ageMs, why } as const;
        return { settle: () => claim.setAside(aside, kept), ending };
      }
      case 'untried': {
        const { dueAt, why } = tried;
        const kept = why ? { ...claim.kept, why } : claim.kept;
        if (why && ageMs >= forMs * untriedGrace) return over(claim, kept, why, ageMs, then);
        const ending = { kind: 'put_off', dueAt, tries, ageMs, why, isUntried: true } as const;
        return { settle: () => claim.putOff(dueAt, kept), ending };
      }
    }
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

interface Settlement {
  readonly settle: () => Promise<void>;
  readonly ending: KeptEnding;
}

/** The settlement of a delivery whose time is over. */
function over(
  claim: Claim,
  kept: Kept,
  why: KeptReason,
  ageMs: number,
  then: 'aside' | 'delete' | undefined,
): Settlement {
  const about = { aside: 'expired', tries: kept.tries, ageMs, why } as const;
  return then === 'delete'
    ? { settle: () => claim.done(), ending: { kind: 'deleted', ...about } }
    : { settle: () => claim.setAside('expired', kept), ending: { kind: 'aside', ...about } };
}

const gone = {
  form: { code: 'form_gone', words: 'the config has no form of this name any more' },
  output: { code: 'output_gone', words: 'the form has no output any more that this was for' },
} as const;

/** The words must not reveal what a visitor chose. */
const declined: KeptReason = {
  code: 'output_declines',
  words: 'the `when` or `aside` of its output does not accept it',
};

const contentReasons: Readonly<Record<ContentProblem, KeptReason>> = {
  damaged: { code: 'damaged', words: 'it is damaged: it is not as it was kept' },
  other_secret: {
    code: 'other_secret',
    words: 'it is encrypted with another KEEP_SECRET, damaged, or altered in the store',
  },
  no_secret: { code: 'no_secret', words: 'it is encrypted, and KEEP_SECRET is not set' },
  unencrypted: {
    code: 'unencrypted',
    words:
      'it is not encrypted, though KEEP_SECRET is set: anybody who can write to the store may have made it up',
  },
  altered: { code: 'altered', words: 'its output or time was altered in the store' },
  sealed: { code: 'sealed', words: 'it is sealed; its owner delivers it with `relay kept deliver`' },
};

/** Also for `sealed`: no relay is given sealed entries, so this one was altered. */
const unread = (problem: ContentProblem): Tried => ({
  kind: 'aside',
  aside: 'unreadable',
  why: contentReasons[problem],
  isUntried: true,
});

const notAnswers = [declined, ...Object.values(gone), ...Object.values(contentReasons)].map(
  ({ code }) => code,
);

/** The last failure of a request for this very delivery. */
const answerTo = ({ why }: Kept) => (why && !notAnswers.includes(why.code) ? why : undefined);

/** The parts of the relay that kept deliveries use. */
export interface World {
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly effects: Effects;
  readonly transports: Transports;
  readonly observers: readonly Observer[];
}
