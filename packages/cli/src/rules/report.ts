import type { Form } from '@form-relay/relay/base';
import { type Doubt, doubt } from '@form-relay/relay/features';
import { similarOf } from '@form-relay/relay/telling';
import type { Verdict, Verdicts } from '@form-relay/stored/marks/verdicts';
import type { Replayed } from './replay.ts';

/** How many submissions of each verdict; `unmarked` have none. */
export interface Counts {
  spam: number;
  ham: number;
  unmarked: number;
}

/** The results of a form's signals over an archive. */
export interface FormReport {
  readonly form: string;
  /** Whether the config says what becomes of doubt; else these are the default signals. */
  readonly hasDoubt: boolean;
  readonly submissions: Counts;
  /** Each with what reaches its points, the most points first. */
  readonly actions: readonly ({ readonly action: string; readonly from: number } & Counts)[];
  /** The share of spam among the marked submissions that are doubted; `undefined` if there are none. */
  readonly precision: number | undefined;
  /** The share of doubted submissions among those marked as spam; `undefined` if there are none. */
  readonly recall: number | undefined;
  readonly signals: readonly SignalReport[];
  /** Marked as ham, and doubted: whom these rules would hurt. */
  readonly hurt: Listed;
  /** Marked as spam, and not doubted. */
  readonly missed: Listed;
  /** Doubted, and not marked yet. */
  readonly open: Listed;
}

export interface SignalReport {
  readonly signal: string;
  readonly weight: number;
  /** The submissions that it speaks against. */
  readonly against: Counts;
  /** The submissions that reach the limit only with its points. */
  readonly decides: Counts;
  /** How often it could not look, and why it could not the first time. */
  readonly silent: number;
  readonly why: string | undefined;
  /** Whether the replay did not ask it. */
  readonly isLeftOut: boolean;
}

/** The ones that matter most, and how many there are. */
export interface Listed {
  readonly all: number;
  readonly first: readonly Told[];
}

export interface Told {
  readonly id: string;
  /** RFC 3339. */
  readonly received_at: string;
  readonly score: number;
  readonly signals: Readonly<Record<string, number>>;
  /** Earlier ones that it is much like: how many, since when, and the ids of the latest. */
  readonly similar?: { readonly count: number; readonly since: string; readonly ids: readonly string[] };
}

/** How many of each list are kept in memory. */
const mostListed = 100;

/** Adds up what was replayed: one report for each form, in the order of the archive. */
export function createReport(verdicts: Verdicts, asksServices: boolean) {
  const forms = new Map<string, Tally>();
  return {
    add(replayed: Replayed): void {
      const { form, doubt } = replayed;
      const tally = forms.get(form.id) ?? new Tally(form, doubt, asksServices);
      forms.set(form.id, tally);
      tally.add(replayed, verdicts.get(replayed.id)?.verdict);
    },
    forms: (): readonly FormReport[] => [...forms.values()].map((tally) => tally.report()),
  };
}

const none = (): Counts => ({ spam: 0, ham: 0, unmarked: 0 });

export const sum = ({ spam, ham, unmarked }: Counts): number => spam + ham + unmarked;

type SignalTally = { -readonly [K in keyof SignalReport]: SignalReport[K] };

class Tally {
  readonly #form: Form;
  readonly #submissions = none();
  readonly #actions: readonly ({ readonly action: string; readonly from: number } & Counts)[];
  readonly #signals: ReadonlyMap<string, SignalTally>;
  /** From how many points on something is doubted at all. */
  readonly #from: number;
  readonly #hurt = new Longest((one, other) => other.score - one.score);
  readonly #open = new Longest((one, other) => other.score - one.score);
  readonly #missed = new Longest((one, other) => one.score - other.score);

  constructor(form: Form, { thresholds, signals }: Doubt, asksServices: boolean) {
    this.#form = form;
    this.#actions = thresholds.map((one) => ({ ...one, ...none() }));
    this.#from = Math.min(...thresholds.map(({ from }) => from));
    this.#signals = new Map(
      signals.map(({ name, weight, service }) => [
        name,
        {
          signal: name,
          weight,
          against: none(),
          decides: none(),
          silent: 0,
          why: undefined,
          isLeftOut: service !== undefined && !asksServices,
        },
      ]),
    );
  }

  add({ id, receivedAt, weighed }: Replayed, verdict: Verdict | undefined): void {
    const { score, signals, silent, similar } = weighed;
    const kind = verdict ?? 'unmarked';
    this.#submissions[kind] += 1;
    for (const action of this.#actions) if (score >= action.from) action[kind] += 1;
    const isDoubted = score >= this.#from;
    for (const { signal, points } of signals) {
      const tally = this.#signals.get(signal);
      if (!tally) continue;
      tally.against[kind] += 1;
      if (isDoubted && score - points < this.#from) tally.decides[kind] += 1;
    }
    for (const { signal, why } of silent) {
      const tally = this.#signals.get(signal);
      if (!tally) continue;
      tally.silent += 1;
      tally.why ??= why;
    }
    // As its owner says.
    if (isDoubted === (verdict === 'spam')) return;
    const list = isDoubted ? (verdict === 'ham' ? this.#hurt : this.#open) : this.#missed;
    list.add({
      id,
      received_at: new Date(receivedAt).toISOString(),
      score,
      signals: Object.fromEntries(signals.map(({ signal, points }) => [signal, points])),
      ...(similar && { similar: similarOf(similar) }),
    });
  }

  report(): FormReport {
    const doubted = this.#actions.at(-1) ?? none();
    return {
      form: this.#form.id,
      hasDoubt: doubt.of(this.#form) !== undefined,
      submissions: this.#submissions,
      actions: this.#actions,
      precision: share(doubted.spam, doubted.spam + doubted.ham),
      recall: share(doubted.spam, this.#submissions.spam),
      signals: [...this.#signals.values()],
      hurt: this.#hurt.list(),
      missed: this.#missed.list(),
      open: this.#open.list(),
    };
  }
}

const share = (part: number, whole: number) => (whole === 0 ? undefined : part / whole);

/** The first few in an order, of however many. */
class Longest {
  readonly #order: (one: Told, other: Told) => number;
  #all = 0;
  #first: Told[] = [];

  constructor(order: (one: Told, other: Told) => number) {
    this.#order = order;
  }

  add(one: Told): void {
    this.#all += 1;
    this.#first.push(one);
    // Now and then, so that each costs little.
    if (this.#first.length >= 2 * mostListed) this.#first = this.#sorted();
  }

  list = (): Listed => ({ all: this.#all, first: this.#sorted() });

  #sorted = (): Told[] => this.#first.toSorted(this.#order).slice(0, mostListed);
}
