import { type HttpSink, startHttpSink } from '../../test/support/http_sink.ts';
import { startRelay } from '../../test/support/relay.ts';

/** A case in which the relay differs from what a third-party test suite expects. */
export interface Difference {
  readonly name: string;
  readonly expected: string;
  readonly found: string;
}

export interface Outcome {
  readonly tried: number;
  readonly differences: readonly Difference[];
  /** Why nothing was tested, such as a missing program. */
  readonly skipped?: string;
}

export type Suite = () => Promise<Outcome>;

/** Collects the results of a suite. */
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

/** Tests with a relay. @param config Returns its config for a sink at this address. */
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
