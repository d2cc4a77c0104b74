import { ClientError } from '../../base/client_error.ts';
import type { Claim, Counter, Reserving, Tally, Reservation as Wanted } from '../../base/counts.ts';
import { linkUseName } from '../../base/doubt.ts';
import type { CheckEvidence, Listener } from '../../base/event.ts';
import type { Outcome, WaitsFor } from '../../base/outcome.ts';
import type { Checked } from '../../base/submission.ts';
import { firstValue } from '../../base/values.ts';
import { isAwaited } from '../../counting/hidden.ts';
import { noTally, usedOf } from '../../counting/tally.ts';
import type { Form, Reserved, World } from '../../form.ts';
import { links } from '../links/links.ts';
import {
  allPlaces,
  claimsOf,
  longestLinkMs,
  type Once,
  optionKey,
  type Places,
  placesKey,
  type Registration,
  registrationOf,
  registrationOfLink,
} from './claims.ts';
import { isFull } from './full.ts';
import { answerInPace } from './pace.ts';

export interface Around {
  readonly tell: Listener;
  readonly world: World;
}

/** Takes what a submission needs before it is delivered, so that no more are acknowledged than exist. Never rejects. */
export async function reserve(
  asked: Places,
  form: Form,
  submission: Checked,
  around: Around,
): Promise<Reserved> {
  const { once } = asked;
  const secret = around.world.settings.formTokenSecret;
  if (once && secret === '') return { ending: { kind: 'no_token_secret' } };
  const by = once && registrationOf(secret, form.id, once, firstValue(submission.values, once.by));
  const one = new Reservation(asked, form, submission, { by, link: linkIn(form, submission) }, around);
  try {
    const reserved = await one.make();
    if (reserved.ending && asked.isSecret) await answerInPace(asked, form, submission, around.world);
    return reserved;
  } catch (error) {
    return one.fail(error);
  }
}

/**
 * Why a submission would be refused for want of a place or for its used link, while its visitor can still change it. Takes
 * nothing, and asks nothing of `once`, whose answer must not differ. Never rejects.
 */
export async function refusalNow(
  asked: Places,
  form: Form,
  submission: Checked,
  around: Around,
): Promise<Outcome | undefined> {
  const ones = { by: undefined, link: linkIn(form, submission) };
  const one = new Reservation(asked, form, submission, ones, around);
  try {
    return await one.look();
  } catch (error) {
    return one.uncounted(error);
  }
}

function linkIn(form: Form, { values }: Checked): Registration | undefined {
  // Version 0.1.0 added the link's end to submissions that wait for a click.
  const [id = ''] = firstValue(values, linkUseName).split('.');
  return id === '' ? undefined : registrationOfLink(form.id, id);
}

interface Ones {
  readonly by: Registration | undefined;
  readonly link: Registration | undefined;
}

class Reservation {
  readonly #id: string;
  readonly #claims: readonly Claim[];
  readonly #key: string;
  /** What is being counted: the link first, then all else. */
  #counting: 'links' | 'places';

  constructor(
    private readonly asked: Places,
    private readonly form: Form,
    private readonly submission: Checked,
    private readonly ones: Ones,
    private readonly around: Around,
  ) {
    this.#id = submission.requestId;
    this.#claims = claimsOf(asked, submission.values);
    this.#key = placesKey(form.id);
    this.#counting = ones.link ? 'links' : 'places';
  }

  async make(): Promise<Reserved> {
    const counter = await this.#counter();
    const { asked } = this;
    const { by, link } = this.ones;
    const { hasWaitingList, isRemembered } = asked;
    const before = link && (await this.#before(counter, link, { forMs: longestLinkMs }));
    if (before) return { ending: before === 'settled' ? this.#usedLink() : this.#busy('links') };
    this.#counting = 'places';
    const forMs = asked.once?.for ?? Infinity;
    // To deliver it twice is better than to lose it.
    const other = by && (await this.#before(counter, by, { forMs, replacesHidden: true }));
    if (other) {
      const ending = other === 'settled' ? await this.#again(counter) : this.#busy('places');
      // A link that still works would tell that nothing was delivered.
      if (link) await this.#conclude(counter, link.key, ending.kind === 'dropped');
      return { ending };
    }
    const { full, tally } =
      this.#claims.length === 0
        ? { full: [], tally: noTally }
        : await counter.reserve(this.#key, { id: this.#id, claims: this.#claims, isRemembered });
    if (full.length > 0 && !hasWaitingList) {
      await this.#concludeAll(counter, this.#registrations, false);
      return { ending: this.#full(full, tally) };
    }
    const reserved = full.length > 0 ? this.#registrations : this.#keys;
    const conclude = async ({ kind }: Outcome) => {
      const isTaken = kind === 'delivered';
      const concluding = this.#concludeAll(counter, reserved, isTaken);
      // An answer that waits (pace.ts) must not put it off.
      await this.around.world.afterwards(() => concluding);
    };
    if (full.length > 0) {
      this.#tell(true, { check: 'places', code: 'waiting', full });
      return { waitsFor: waitsFor(full), conclude };
    }
    if (by || this.#claims.length > 0) this.#tell(true, { check: 'places', code: 'taken' });
    return { conclude };
  }

  async look(): Promise<Outcome | undefined> {
    const { link } = this.ones;
    const mayBeFull = this.#claims.length > 0 && !this.asked.hasWaitingList;
    if (!link && !mayBeFull) return undefined;
    const counter = await this.#counter();
    if (link && usedOf(await counter.read(link.key), link.hash) > 0) return this.#usedLink();
    if (!mayBeFull) return undefined;
    this.#counting = 'places';
    const { full, tally } = await this.#fullNow(counter);
    return full.length > 0 ? this.#full(full, tally) : undefined;
  }

  uncounted(error: unknown): Outcome {
    const { tell } = this.around;
    if (!(error instanceof ClientError)) tell({ kind: 'broken', error });
    const reason = error instanceof ClientError ? error.message : 'internal error';
    const check = this.#counting;
    this.#tell(false, { check, code: 'uncounted', reason });
    // The rest is `once`: its visitors know of no places.
    const code = check === 'links' ? 'link_uncounted' : this.#claims.length > 0 ? 'uncounted' : 'busy';
    return { kind: 'uncounted', refusal: { code } };
  }

  /** Gives back what the store may have noted, once it answers again: nobody knows whether it did. */
  async fail(error: unknown): Promise<Reserved> {
    const { world } = this.around;
    const ending = this.uncounted(error);
    await world.afterwards(async () => {
      const counter = await this.#counter().catch(() => undefined);
      if (counter) await Promise.all(this.#keys.map((key) => this.#conclude(counter, key, false)));
    });
    return { ending };
  }

  #counter(): Promise<Counter> {
    return this.around.world.effects.openCounter(this.asked.where);
  }

  get #registrations(): readonly string[] {
    const { by, link } = this.ones;
    return [link, by].flatMap((one) => one?.key ?? []);
  }

  /** Where it reserves something. */
  get #keys(): readonly string[] {
    return this.#claims.length > 0 ? [...this.#registrations, this.#key] : this.#registrations;
  }

  /** Reserves what comes once, unless another submission has: one that is being delivered is waited for. */
  async #before(
    counter: Counter,
    { key, hash }: Registration,
    rule: Pick<Wanted, 'forMs' | 'replacesHidden'>,
  ): Promise<'settled' | 'open' | undefined> {
    const { effects } = this.around.world;
    const { full, tally } = await counter.reserve(key, {
      id: this.#id,
      claims: [{ key: hash, limit: 1 }],
      isRemembered: true,
      // The rest of the time is for the delivery.
      waitMs: (this.submission.deadline - effects.now()) / 2,
      ...rule,
    });
    if (full.length === 0) return undefined;
    return isAwaited(tally, full, effects.now()) ? 'open' : 'settled';
  }

  /** Reads as it would for somebody else, so that nobody learns who has registered. */
  async #again(counter: Counter): Promise<Outcome> {
    const { world, tell } = this.around;
    const { full, tally } = await this.#fullNow(counter);
    if (full.length > 0 && !this.asked.hasWaitingList) return this.#full(full, tally);
    this.#tell(false, { check: 'places', code: 'again' });
    if (this.asked.once?.reveal) return { kind: 'registered' };
    const { mailRegistered } = await import('./registered_mail.ts');
    await mailRegistered(this.asked.once as Once, this.form, this.submission, { tell, world });
    return { kind: 'dropped', by: 'once', ...(full.length > 0 && { waitsFor: waitsFor(full) }) };
  }

  async #fullNow(counter: Counter): Promise<Reserving> {
    const tally = await counter.read(this.#key);
    const full = this.#claims.filter(({ key, limit }) => usedOf(tally, key) >= limit).map(({ key }) => key);
    return { full, tally };
  }

  #busy(check: 'links' | 'places'): Outcome {
    this.#tell(false, { check, code: 'awaited' });
    return { kind: 'busy' };
  }

  #usedLink(): Outcome {
    this.#tell(false, { check: 'links', code: 'used' });
    const isOptional = links.of(this.form) === 'optional';
    return { kind: 'link_needed', refusal: { code: isOptional ? 'fill_used' : 'link_used' } };
  }

  #full(full: readonly string[], tally: Tally): Outcome {
    this.#tell(false, { check: 'places', code: 'full', full });
    const { form, asked, submission, around } = this;
    const { settings } = around.world;
    const { fields } = around.world.reader(form);
    const { link = '', receivedAt: now } = submission;
    const filling = form.answers.filling?.(form, link, { settings, now });
    if (isFull(asked, fields, tally, filling)) return { kind: 'full', refusal: { code: 'form_full' } };
    const errors = [...asked.options.keys()].flatMap((name) =>
      (submission.values.get(name) ?? []).flatMap((value, at) => {
        if (!full.includes(optionKey(name, value))) return [];
        const options = fields.find((field) => field.name === name)?.options;
        const option = options?.find((one) => one.value === value)?.label ?? value;
        return [{ field: name, at, code: 'option_full', params: { option } } as const];
      }),
    );
    return { kind: 'invalid', errors };
  }

  async #concludeAll(counter: Counter, keys: readonly string[], isTaken: boolean): Promise<void> {
    for (const key of keys) await this.#conclude(counter, key, isTaken);
  }

  /** Tries again for some seconds: what stays reserved counts as much as what is taken, but the owner has to look at it. */
  async #conclude(counter: Counter, key: string, isTaken: boolean): Promise<void> {
    const { form, around } = this;
    const { effects, request } = around.world;
    const waits = request.livesOn ? [200, 1_000, 4_000] : [200];
    for (;;) {
      try {
        await (isTaken ? counter.settle(key, this.#id) : counter.release(key, this.#id));
        return;
      } catch (error) {
        const waitMs = waits.shift();
        if (waitMs === undefined || !(error instanceof ClientError)) {
          const reason = error instanceof ClientError ? error.message : 'internal error';
          effects.log('warn', 'places_unsettled', { request_id: this.#id, form: form.id, reason });
          return;
        }
        await effects.sleep(waitMs);
      }
    }
  }

  #tell(passed: boolean, evidence: CheckEvidence): void {
    this.around.tell({ kind: 'checked', passed, evidence });
  }
}

const waitsFor = (full: readonly string[]): WaitsFor => (full.includes(allPlaces) ? 'place' : 'option');
