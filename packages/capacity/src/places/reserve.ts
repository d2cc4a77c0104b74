/** Takes what a submission needs before it is delivered, so that no more are acknowledged than exist. */

import { ClientError } from '@form-relay/base/client_error';
import { firstValue } from '@form-relay/base/values';
import type { Handler, Outcome, Submission } from '@form-relay/core/index';
import { invalid } from '@form-relay/core/pipeline/validate';
import { noTokenSecret } from '@form-relay/core/submission';
import type { Counter } from '../counters/counter.ts';
import type { Counters } from '../counters/index.ts';
import {
  busy,
  conclude,
  persist,
  type Registration,
  register,
  uncounted,
  whyUncounted,
} from '../counters/registration.ts';
import { type Claim, noTally, type Reserving, type Tally, usedOf, withdrawn } from '../counters/tally.ts';
import { nameInStore } from '../names.ts';
import {
  claimsOf,
  isFull,
  lockedValues,
  optionKey,
  type Places,
  placesKey,
  registrationOf,
  type Taken,
  takenBefore,
} from './claims.ts';

/** Delivers a submission once all that it needs is reserved, and settles or gives that back. */
export async function deliverReserved(
  places: Places,
  counters: Counters,
  submission: Submission,
  next: Handler,
): Promise<Outcome> {
  const { once, isSecret } = places;
  const { formTokenSecret: secret } = submission.settings;
  if (once && secret === '') return noTokenSecret;
  const before = takenBefore.get(submission.request);
  const now = takenBy(places, submission);
  const isNew = now.once?.hash !== before?.once?.hash;
  const reservation = new Reservation(places, counters, submission, isNew ? now.once : undefined);
  const reserved = await reservation.make().catch((error) => reservation.fail(error));
  if ('kind' in reserved) {
    if (isSecret) await answerInPace(counters, submission);
    return reserved;
  }
  const outcome = await next(submission);
  // A success is never repeated, whoever has it now.
  const isTaken = outcome.message === undefined;
  const concluding = conclude(counters, reserved, isTaken, submission);
  // An answer that waits for its pace must not put it off.
  await submission.defer(() => concluding);
  if (isTaken && before) {
    const claims = before.claims.filter((key) => !now.claims.includes(key));
    await free(counters, submission, { claims, once: isNew ? before.once : undefined });
  }
  if (isTaken && isSecret) await answerDelivery(counters, submission);
  return outcome;
}

/**
 * Why a submission would be refused for want of a place, while its visitor can still change it. Takes nothing, and asks nothing of
 * `once`, whose answer must not differ.
 */
export async function precheck(
  places: Places,
  counters: Counters,
  submission: Submission,
): Promise<Outcome | undefined> {
  const reservation = new Reservation(places, counters, submission, undefined);
  return reservation.look().catch((error) => reservation.uncounted(error));
}

/** Takes back what a submission took that is not delivered after all. */
export const withdraw = (places: Places, counters: Counters, submission: Submission): Promise<void> =>
  giveBack(counters, submission, takenBy(places, submission));

export function takenBy(
  places: Places,
  { form, values, settings }: Pick<Submission, 'form' | 'values' | 'settings'>,
): Taken {
  const { once } = places;
  return {
    claims: claimsOf(places, values).map(({ key }) => key),
    once: once && registrationOf(settings.formTokenSecret, form, once, firstValue(values, once.by)),
  };
}

/** Gives back what a submission has no more, although the store may fail: it is delivered. */
export async function free(counters: Counters, submission: Submission, taken: Taken): Promise<void> {
  const { request, services } = submission;
  const work = async () => {
    const waits = request.livesOn ? [200, 1_000, 4_000] : [200];
    const reason = await persist(() => giveBack(counters, submission, taken), waits, services);
    if (reason !== undefined) submission.log('warn', 'places_unsettled', { reason });
  };
  const freeing = work();
  await submission.defer(() => freeing);
}

async function giveBack(
  counters: Counters,
  { form, requestId, services }: Submission,
  { claims, once }: Taken,
): Promise<void> {
  const counter = await counters.counter(services);
  if (claims.length > 0) await counter.withdraw(placesKey(form.id), requestId, claims);
  if (once) await counter.withdraw(once.key, requestId, [once.hash]);
}

class Reservation {
  readonly #id: string;
  /** Keys of the earlier submission that this one changes, which stay taken. */
  readonly #before: readonly string[];
  readonly #claims: readonly Claim[];
  readonly #key: string;

  constructor(
    private readonly places: Places,
    private readonly counters: Counters,
    private readonly submission: Submission,
    private readonly by: Registration | undefined,
  ) {
    this.#id = submission.requestId;
    this.#before = takenBefore.get(submission.request)?.claims ?? [];
    this.#claims = claimsOf(places, submission.values).filter(({ key }) => !this.#before.includes(key));
    this.#key = placesKey(submission.formId);
  }

  /** The keys in the store; or why it is refused. */
  async make(): Promise<readonly string[] | Outcome> {
    const counter = await this.#counter();
    const { by } = this;
    const { isRemembered, once } = this.places;
    const forMs = once?.for ?? Infinity;
    // An extra delivery is better than a lost submission.
    const other = by && (await register(counter, by, forMs, this.submission));
    if (other) return other === 'settled' ? this.#again(counter) : registering;
    const { full, tally } =
      this.#claims.length === 0
        ? { full: [], tally: noTally }
        : await counter.reserve(this.#key, { id: this.#id, claims: this.#claims, isRemembered });
    if (full.length > 0) {
      await conclude(this.counters, by ? [by.key] : [], false, this.submission);
      return this.#full(full, tally);
    }
    if (this.#keys.length > 0) this.submission.trace?.note('reserved');
    return this.#keys;
  }

  async look(): Promise<Outcome | undefined> {
    if (this.#claims.length === 0) return undefined;
    const { full, tally } = await this.#fullNow(await this.#counter());
    return full.length > 0 ? this.#full(full, tally) : undefined;
  }

  uncounted(error: unknown): Outcome {
    return {
      ...uncounted,
      // The rest is `once`: its visitors know of no places.
      message: { code: this.#claims.length > 0 ? 'uncounted' : 'busy' },
      why: `the places could not be counted: ${whyUncounted(error, this.submission)}`,
    };
  }

  /** Gives back what the store may have noted, once it answers again: nobody knows whether it did. */
  async fail(error: unknown): Promise<Outcome> {
    const outcome = this.uncounted(error);
    await this.submission.defer(() => conclude(this.counters, this.#keys, false, this.submission));
    return outcome;
  }

  #counter(): Promise<Counter> {
    return this.counters.counter(this.submission.services);
  }

  /** Where it reserves something. */
  get #keys(): readonly string[] {
    return [...(this.by ? [this.by.key] : []), ...(this.#claims.length > 0 ? [this.#key] : [])];
  }

  /** Reads as it would for somebody else, so that nobody learns who has registered. */
  async #again(counter: Counter): Promise<Outcome> {
    const { full, tally } = await this.#fullNow(counter);
    const { once } = this.places;
    if (full.length > 0) return this.#full(full, tally);
    if (once?.reveal) return registered;
    const mail = this.submission.form.provided.get('registered_mail');
    await mail?.(this.submission, once?.by ?? '');
    return { kind: 'dropped', status: 200, by: 'once', why: againWhy };
  }

  async #fullNow(counter: Counter): Promise<Reserving> {
    const tally = await counter.read(this.#key);
    const full = this.#claims.filter(({ key, limit }) => usedOf(tally, key) >= limit).map(({ key }) => key);
    return { full, tally };
  }

  #full(full: readonly string[], tally: Tally): Outcome {
    const { form, values, request } = this.submission;
    const why = `no place is left${ofOptions(full)}`;
    const locked = this.submission.getState(lockedValues);
    const others = withdrawn(tally, '', this.#before);
    if (isFull(this.places, form.fields, others, locked instanceof Map ? locked : undefined))
      return { ...this.places.full, why };
    const { text } = form.locale(request);
    const errors = [...this.places.options.keys()].flatMap((name) =>
      (values.get(name) ?? []).flatMap((value, at) => {
        if (!full.includes(optionKey(name, value))) return [];
        const options = form.fields.find((field) => field.name === name)?.options;
        const option = options?.find((one) => one.value === value)?.label ?? value;
        return [{ field: name, at, code: 'option_full', params: { option: text(option) } }];
      }),
    );
    return { ...invalid(errors), by: 'places', why };
  }
}

const againWhy = 'another submission has this value already (`once`)';

const registered: Outcome = {
  kind: 'registered',
  status: 403,
  message: { code: 'already_registered' },
  why: againWhy,
};

const registering: Outcome = {
  ...busy,
  why: 'another submission with this value is still being delivered (`once`)',
};

const ofOptions = (full: readonly string[]): string => {
  const named = full.filter(Boolean);
  return named.length > 0 ? ` of ${named.join(', ')}` : '';
};

// When answers come, so that their time tells nobody whether an address was new: all come as late as the slowest of the recent
// deliveries. The store of the counts remembers it, for a process that has delivered nothing yet.

/** In milliseconds: how long answers take, from arrival on, and when a delivery said so. */
interface Pace {
  readonly ms: number;
  readonly at: number;
}

/** Answers a delivery, after it has slowed the pace if it was slow. */
async function answerDelivery(counters: Counters, submission: Submission): Promise<void> {
  const now = submission.services.now();
  const ms = Math.max(leastMs, Math.ceil((now - submission.receivedAt + roomMs) / stepMs) * stepMs);
  await answerInPace(counters, submission, (before) =>
    ms > before.ms || now - before.at > recentMs ? { ms, at: now } : before,
  );
}

/** Answers when a delivery would have been answered. */
async function answerInPace(
  counters: Counters,
  { formId, receivedAt, deadline, services }: Submission,
  next = (before: Pace): Pace => before,
): Promise<void> {
  let pace: Pace = { ms: leastMs, at: 0 };
  try {
    const counter = await counters.counter(services);
    await counter.change(`pace/${nameInStore(formId)}`, (text) => {
      const before = read(text);
      pace = next(before);
      return pace === before ? text : `${pace.ms} ${pace.at}`;
    });
  } catch (error) {
    // The submission was delivered: without the pace, it is answered at once.
    if (!(error instanceof ClientError)) throw error;
  }
  const leftMs = Math.min(receivedAt + pace.ms, deadline) - services.now();
  if (leftMs > 0) await services.sleep(leftMs);
}

function read(text = ''): Pace {
  const [, ms, at] = /^(\d+) (\d+)$/.exec(text) ?? [];
  return ms === undefined ? { ms: leastMs, at: 0 } : { ms: Number(ms), at: Number(at) };
}

/** Most deliveries take less, with a new connection, too. */
const leastMs = 1_000;

/** Deliveries differ by as much, such as the first one of a process. */
const roomMs = 250;
const stepMs = 500;

/** After it, a faster delivery quickens the pace again. */
const recentMs = 600_000;
