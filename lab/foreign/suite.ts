import { type HttpSink, startHttpSink } from '../../test/support/http_sink.ts';
import { startRelay } from '../../test/support/relay.ts';

/** A case in which the relay and a foreign suite disagree. */
export interface Difference {
  readonly name: string;
  readonly expected: string;
  readonly found: string;
}

export interface Outcome {
  readonly tried: number;
  readonly differences: readonly Difference[];
  /** Why nothing was tried, such as a program that is missing. */
  readonly skipped?: string;
}

export type Suite = () => Promise<Outcome>;

/** Collects what one suite tries. */
export function tally() {
  const differences: Difference[] = [];
  let tried = 0;
  return {
    compare(name: string, expected: string, found: string): void {
      tried += 1;
      if (expected !== found) differences.push({ name, expected, found });
    },
    outcome: (): Outcome => ({ tried, differences }),
  };
}

interface Given {
  readonly relay: Awaited<ReturnType<typeof startRelay>>;
  readonly sink: HttpSink;
  readonly compare: ReturnType<typeof tally>['compare'];
}

/** Tries something with a relay. @param config Its config, for a sink at this address. */
export async function withRelay(config: (sink: string) => string, work: (given: Given) => Promise<void>) {
  const sink = await startHttpSink();
  const relay = await startRelay({ config: config(sink.origin), env: { ALLOWED_ORIGINS: '*' } });
  const { compare, outcome } = tally();
  try {
    await work({ relay, sink, compare });
    return outcome();
  } finally {
    await relay.close();
    await sink.close();
  }
}
