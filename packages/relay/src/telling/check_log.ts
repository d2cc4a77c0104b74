import { ClientError, stackOf } from '../base/client_error.ts';
import type { Log, LogLevel } from '../base/effects.ts';
import type { CheckEvidence, ClientUnknown, ScanEvidence } from '../base/event.ts';
import type { LogEvent } from '../base/log_event.ts';
import type { Outcome } from '../base/outcome.ts';
import { throttledReport } from '../base/throttled.ts';
import { withoutVerdict } from '../features/captcha/explain_captcha.ts';
import { explain } from '../features/index.ts';
import { clientWords } from '../features/rate_limit.ts';
import { noResultWords } from '../features/validation.ts';

type Write = (level: LogLevel, event: LogEvent, more: object) => void;

/** The owner must fix a captcha without a verdict, or a slow pattern. */
export function writeCheck(evidence: CheckEvidence, write: Write): void {
  if (evidence.code === 'invalid' && evidence.slow !== undefined) {
    write('warn', 'pattern_too_slow', { field: evidence.slow });
  }
  if (evidence.code === 'valid' && evidence.unresolved) {
    write('warn', 'result_left_out', { fields: evidence.unresolved, reason: noResultWords });
  }
  if (evidence.check === 'scan') writeScan(evidence, write);
  if (evidence.check !== 'captcha') return;
  const { code, provider, codes, error } = evidence;
  if (!withoutVerdict.has(code)) return;
  const isBug = code === 'internal_error';
  const why = isBug ? { stack: stackOf(error) } : { reason: explain(evidence), ...(codes && { codes }) };
  write('error', 'captcha_unverified', { provider, ...why });
}

/** The owner must fix a scanner without a verdict, and may want to know about viruses and unscanned files. */
function writeScan(evidence: ScanEvidence, write: Write): void {
  const { scanner } = evidence;
  if (evidence.code === 'unscanned') {
    const isKnown = evidence.error instanceof ClientError;
    write('error', 'scan_failed', {
      scanner,
      ...(isKnown ? { reason: explain(evidence) } : { stack: stackOf(evidence.error) }),
    });
  } else if (evidence.code === 'refused') {
    for (const { field, signature } of evidence.found) {
      if (signature !== undefined) write('warn', 'virus_found', { scanner, field, signature });
    }
  } else if (evidence.unseen.length > 0) {
    write('warn', 'files_unscanned', { scanner, fields: evidence.unseen });
  }
}

interface About {
  readonly request_id: string;
  readonly trace_id: string;
  readonly form: string | undefined;
}

/**
 * Limits the lines about refusals by origin, key and rate, which may be a flood, to one a second each: the latest refusal and
 * their number since the line before. An unknown client is logged once a process and reason.
 */
export function createGateLog(log: Log, now: () => number) {
  const told = new Set<ClientUnknown['why']>();
  const tell = () =>
    throttledReport(now, (requests, outcome: string, found: CheckEvidence | undefined, about: About) =>
      log('info', 'submission', {
        ...about,
        outcome,
        key: found && 'key' in found ? found.key : undefined,
        reason: found && explain(found),
        client: found && 'client' in found ? found.client : undefined,
        requests,
      }),
    );
  const tellers = { origin_refused: tell(), key_refused: tell(), rate_limited: tell() };
  return {
    hear: (evidence: CheckEvidence, about: About): void => {
      if (evidence.code !== 'client_unknown' || told.has(evidence.why)) return;
      told.add(evidence.why);
      log('warn', 'client_unknown', { ...about, reason: clientWords(evidence) });
    },
    /** Logs a refusal, and says whether it was one. `found`: why it ended so. */
    refused: ({ kind }: Outcome, found: CheckEvidence | undefined, about: About): boolean => {
      if (kind !== 'origin_refused' && kind !== 'key_refused' && kind !== 'rate_limited') return false;
      tellers[kind](kind, found, about);
      return true;
    },
  };
}
