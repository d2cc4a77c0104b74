/** Reserves what a submission needs before delivering it, so that no more submissions are accepted than there are places. */

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
  nameInStore,
  persist,
  type Registration,
  register,
  uncounted,
  whyUncounted,
} from '../counters/registration.ts';
import { type Claim, noTally, type Reserving, type Tally, usedOf, withdrawn } from '../counters/tally.ts';
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

/** Delivers a submission after reserving all that it needs; then settles or releases the reservation. */
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
  // A delivered submission is never repeated, so its places are taken in any case.
  const isTaken = outcome.message === undefined;
  const concluding = conclude(counters, reserved, isTaken, submission);
  // Start now, because `answerDelivery` may delay the response.
  await submission.defer(() => concluding);
  if (isTaken && before) {
    const claims = before.claims.filter((key) => !now.claims.includes(key));
    await free(counters, submission, { claims, once: isNew ? before.once : undefined });
  }
  if (isTaken && isSecret) await answerDelivery(counters, submission);
  return outcome;
}

/**
 * Why a submission would be rejected for lack of a place, while its visitor can still change it. Reserves
 * nothing and ignores `once`, which must not make the response differ.
 */
export async function precheck(
  places: Places,
  counters: Counters,
  submission: Submission,
): Promise<Outcome | undefined> {
  const reservation = new Reservation(places, counters, submission, undefined);
  return reservation.look().catch((error) => reservation.uncounted(error));
}

/** Takes back what a submission took that will not be delivered after all. */
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

/** Frees what a changed submission no longer needs. A failure of the store is only logged, because the submission is delivered. */
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
  /** Keys of the earlier submission that this one changes; they stay taken. */
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

  /** Returns the reserved keys, or the outcome if the submission is rejected. */
  async make(): Promise<readonly string[] | Outcome> {
    const counter = await this.#counter();
    const { by } = this;
    const { isRemembered, once } = this.places;
    const forMs = once?.for ?? Infinity;
    // Reservations are kept in doubt: an extra delivery is better than a lost submission.
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
      // Otherwise only `once` failed, and its visitors know nothing of places.
      message: { code: this.#claims.length > 0 ? 'uncounted' : 'busy' },
      why: `the places could not be counted: ${whyUncounted(error, this.submission)}`,
    };
  }

  /** Releases what the store may have reserved before it failed, as soon as it responds again. */
  async fail(error: unknown): Promise<Outcome> {
    const outcome = this.uncounted(error);
    await this.submission.defer(() => conclude(this.counters, this.#keys, false, this.submission));
    return outcome;
  }

  #counter(): Promise<Counter> {
    return this.counters.counter(this.submission.services);
  }

  /** The keys under which something is reserved. */
  get #keys(): readonly string[] {
    return [...(this.by ? [this.by.key] : []), ...(this.#claims.length > 0 ? [this.#key] : [])];
  }

  /** Responds as it would to a new value, so that no one learns who has registered. */
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

// Delays responses, so that their timing does not reveal whether an address was new: each takes as long as the slowest
// recent delivery. The store of the counts remembers that pace, for processes that have not delivered anything yet.

/** How long responses take from arrival on, and when a delivery last set it, both in milliseconds. */
interface Pace {
  readonly ms: number;
  readonly at: number;
}

/** Returns when the response to a delivery is due; a slow delivery slows down the pace first. */
async function answerDelivery(counters: Counters, submission: Submission): Promise<void> {
  const now = submission.services.now();
  const ms = Math.max(leastMs, Math.ceil((now - submission.receivedAt + roomMs) / stepMs) * stepMs);
  await answerInPace(counters, submission, (before) =>
    ms > before.ms || now - before.at > recentMs ? { ms, at: now } : before,
  );
}

/** Returns when the response to a delivery would be due. */
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
    // If the store fails, respond at once: the submission was delivered.
    if (!(error instanceof ClientError)) throw error;
  }
  const leftMs = Math.min(receivedAt + pace.ms, deadline) - services.now();
  if (leftMs > 0) await services.sleep(leftMs);
}

function read(text = ''): Pace {
  const [, ms, at] = /^(\d+) (\d+)$/.exec(text) ?? [];
  return ms === undefined ? { ms: leastMs, at: 0 } : { ms: Number(ms), at: Number(at) };
}

/** Most deliveries take less time, even with a new connection. */
const leastMs = 1_000;

/** How much slower another delivery may be, such as the first one of a process. */
const roomMs = 250;
const stepMs = 500;

/** After this time, a faster delivery sets a faster pace. */
const recentMs = 600_000;
