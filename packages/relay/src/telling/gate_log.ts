import type { Log } from '../base/effects.ts';
import type { CheckEvidence, ClientUnknown } from '../base/event.ts';
import { onceASecond } from '../base/once_a_second.ts';
import type { Outcome } from '../base/outcome.ts';
import { clientWords, explain } from '../features/explain_evidence.ts';

export interface GateLog {
  hear(evidence: CheckEvidence, about: About): void;
  /** Tells of a refusal, and says whether it was one. `found`: why it ended so. */
  refused(outcome: Outcome, found: CheckEvidence | undefined, about: About): boolean;
}

/** What each of its lines begins with. */
interface About {
  readonly request_id: string;
  readonly trace_id: string;
  readonly form: string | undefined;
}

/**
 * What gates refuse may be a flood, of which the log gets one line a second and gate: the latest, and how many there were
 * since the one before (D60). That nobody knows who sends, is told once, and for as long as the process lives.
 */
export function createGateLog(log: Log, now: () => number): GateLog {
  const told = new Set<ClientUnknown['why']>();
  const tell = () =>
    onceASecond(now, (requests, outcome: string, found: CheckEvidence | undefined, about: About) =>
      log('info', 'submission', {
        ...about,
        outcome,
        reason: found && explain(found),
        client: found && 'client' in found ? found.client : undefined,
        requests,
      }),
    );
  const tellers = { origin_refused: tell(), rate_limited: tell() };
  return {
    hear: (evidence, about) => {
      if (evidence.code !== 'client_unknown' || told.has(evidence.why)) return;
      told.add(evidence.why);
      log('warn', 'client_unknown', { ...about, reason: clientWords(evidence) });
    },
    refused: ({ kind }, found, about) => {
      if (kind !== 'origin_refused' && kind !== 'rate_limited') return false;
      tellers[kind](kind, found, about);
      return true;
    },
  };
}
