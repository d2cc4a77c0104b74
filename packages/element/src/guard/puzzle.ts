import { type Challenge, solve } from './solve.ts';

/** A token as the relay sends it to scripts (packages/spam/src/form_token.ts). */
export interface Given {
  readonly name: string;
  readonly value: string;
  readonly wait_ms?: number;
  readonly challenge?: Challenge;
  readonly proof_field?: string;
}

/** The challenges that a form's browser must solve. These challenges change with the form's token. */
export type Puzzle = ReturnType<typeof createPuzzle>;

interface Current {
  readonly challenge: Challenge;
  readonly field: string;
  readonly givenAt: number;
  solving?: Promise<void>;
  solution?: string;
}

/** `carrier`: the token's input, which may change. `address`: returns another challenge when one was used or is about to expire. */
export function createPuzzle(carrier: () => HTMLElement | null, address: string) {
  let read: string | undefined;
  let current: Current | undefined;
  let renewing: Promise<void> | undefined;
  let ttlMs = 3_600_000;
  let isSpent = false;

  const set = (challenge: Challenge, field: string) => {
    current = { challenge, field, givenAt: Date.now() };
    isSpent = false;
  };
  const look = () => {
    const { challenge, proofField = 'altcha', ttlMs: life } = carrier()?.dataset ?? {};
    if (!challenge || challenge === read) return;
    read = challenge;
    ttlMs = Number(life) || ttlMs;
    set(JSON.parse(challenge), proofField);
  };
  // If the clock was changed, the challenge's age is unknown.
  const isStale = ({ givenAt }: Current) => isSpent || Math.abs(Date.now() - givenAt) > 0.8 * ttlMs;
  const renew = async ({ field }: Current) => {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout?.(8_000) });
      if (response.ok) set(await response.json(), field);
    } catch {
      // The relay judges the old solution, and sends another challenge.
    }
    renewing = undefined;
  };
  const start = async (one: Current) => {
    one.solution = await solve(one.challenge).catch(() => '');
  };
  look();
  return {
    /** Resolves once nothing is left to solve. Never rejects. */
    solve: async (): Promise<void> => {
      look();
      if (current && isStale(current)) {
        renewing ??= renew(current);
        await renewing;
      }
      if (!current) return;
      current.solving ??= start(current);
      await current.solving;
    },
    /** Whether there is something left to solve. */
    isOpen: (): boolean => {
      look();
      return current !== undefined && (isStale(current) || current.solution === undefined);
    },
    /** `undefined` if there is no challenge. */
    solution: (): readonly [field: string, solution: string] | undefined =>
      current?.solution ? [current.field, current.solution] : undefined,
    /** Takes the challenges that came with another token. */
    take: ({ challenge, proof_field: field }: Given) => {
      if (challenge && field) set(challenge, field);
      // The new token has no challenge.
      else current = undefined;
    },
    /** The next submission needs another solution. */
    spend: () => {
      isSpent = true;
    },
  };
}
