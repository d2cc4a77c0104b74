/**
 * The latest test of a form, and its passed and failed tests by month. Processes share them through a store
 * that can count; without one, each process keeps its own.
 */
import { parseJson } from '@form-relay/base/json';
import type { Form, Services } from '@form-relay/core/index';
import type { StateEntry } from '@form-relay/stores/store';

export interface Proof {
  /** The start of the last interval that was tested, in milliseconds since the epoch, and the process that tested it. */
  readonly slot: number;
  readonly by: string;
  readonly passedAt?: number | undefined;
  readonly failing?: Failure | undefined;
  /** When a server announced its maintenance. */
  readonly pausedAt?: number | undefined;
  /** Tests by month: `2026-10`. */
  readonly months: Readonly<Record<string, Tested>>;
}

interface Failure {
  readonly since: number;
  readonly reason: string;
}

/** The tests in a month. */
export interface Tested {
  readonly passed: number;
  readonly failed: number;
  /** The start and end of each failure. The last one may not have ended. */
  readonly failures: readonly (Failure & { readonly until?: number })[];
}

export interface Result {
  readonly kind: 'passed' | 'failed' | 'paused';
  readonly reason: string;
}

/** More than a year, for reports. */
const mostMonths = 14;
const mostFailures = 20;
/** A maintenance announced for longer than this counts as a failure. */
const pauseMs = 86_400_000;

export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

const nothingTested: Tested = { passed: 0, failed: 0, failures: [] };

/** The result after another test. `change`: the news for the form's owner. */
export function concluded(before: Proof, { kind, reason }: Result, at: number) {
  const { failing, pausedAt = at, months } = before;
  if (kind === 'paused' && at - pausedAt < pauseMs)
    return { proof: { ...before, pausedAt }, change: undefined };
  const isPassed = kind === 'passed';
  const tested = months[monthOf(at)] ?? nothingTested;
  const ended = (month: Tested): Tested => ({
    ...month,
    failures: month.failures.map((one) => (one.until === undefined ? { ...one, until: at } : one)),
  });
  const month: Tested = isPassed
    ? { ...tested, passed: tested.passed + 1 }
    : {
        ...tested,
        failed: tested.failed + 1,
        failures: failing
          ? tested.failures
          : [...tested.failures, { since: at, reason }].slice(-mostFailures),
      };
  const kept = Object.entries({ ...months, [monthOf(at)]: month })
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(-mostMonths)
    .map(([name, one]) => [name, isPassed && failing ? ended(one) : one]);
  const proof: Proof = {
    ...before,
    pausedAt: undefined,
    passedAt: isPassed ? at : before.passedAt,
    failing: isPassed ? undefined : { since: failing?.since ?? at, reason },
    months: Object.fromEntries(kept),
  };
  return {
    proof,
    change: isPassed === (failing === undefined) ? undefined : kind === 'passed' ? kind : 'failed',
  } as const;
}

export const proofIn = (entry: StateEntry | undefined): Proof | undefined => {
  const read = parseJson(entry?.text ?? '') as Proof | undefined;
  return typeof read?.slot === 'number' && read.months ? read : undefined;
};

const key = 'canary';

/** Reads the test result of a form from its store. `undefined`: the form has no counter store, or was never tested. */
export const readProof = async (form: Form, services: Services): Promise<Proof | undefined> =>
  proofIn(await form.provided.get('shared_state')?.read({ services }, key));

/** Changes the test result of a form in its store. `undefined`: the form has no counter store. Rejects with a `ClientError`. */
export async function changeProof(
  form: Form,
  services: Services,
  make: (before: Proof | undefined) => Proof | undefined,
): Promise<Proof | undefined> {
  const after = await form.provided.get('shared_state')?.change({ services }, key, (entry) => {
    const before = proofIn(entry);
    const proof = make(before);
    return proof === before
      ? entry
      : proof && { text: JSON.stringify(proof), until: Number.MAX_SAFE_INTEGER };
  });
  return proofIn(after);
}
