import { ClientError } from '../base/client_error.ts';
import type {
  CaptchaEvidence,
  CheckEvidence,
  ClientUnknown,
  DoubtEvidence,
  GateEvidence,
  ProofEvidence,
  ScanEvidence,
} from '../base/event.ts';

/** What a check found, in the owner's words: for the log, and for the story of a submission. */
export function explain(evidence: CheckEvidence): string {
  switch (evidence.check) {
    case 'honeypot':
      return evidence.code === 'decoy_filled'
        ? 'the decoy field was filled'
        : `the decoy field "${evidence.field}" is empty`;
    case 'min_fill':
      switch (evidence.code) {
        case 'waited':
          return `sent ${time(evidence.filledMs)} after the form was shown; the least is ${time(evidence.leastMs)}`;
        case 'too_fast':
          return `sent after ${evidence.filledMs} ms; the least is ${evidence.leastMs} ms`;
        case 'token_expired':
          return `the form was shown longer ago than ${time(evidence.ttlMs)} (form_ttl)`;
        default:
          return minFillWords[evidence.code];
      }
    case 'origin':
    case 'rate_limit':
      return gateWords(evidence);
    case 'proof':
      return evidence.captcha ? captchaWords(evidence.captcha) : proofWords[evidence.code];
    case 'doubt':
      return doubtWords(evidence);
    case 'captcha':
      return captchaWords(evidence);
    case 'scan':
      return scanWords(evidence);
    case 'validation':
      if (evidence.code === 'invalid') return evidence.errors.map(({ field }) => field).join(', ');
      return evidence.code === 'undecided'
        ? `there was no time to match the pattern of ${evidence.fields.join(', ')}`
        : `${evidence.fields} ${evidence.fields === 1 ? 'field is' : 'fields are'} valid${
            evidence.hidden.length > 0
              ? `; left out, since visible_when does not hold: ${evidence.hidden.join(', ')}`
              : ''
          }`;
  }
}

function gateWords(evidence: GateEvidence): string {
  switch (evidence.code) {
    case 'listed':
      return 'sent from a page among the origins';
    case 'own':
      return 'sent from a page of the relay’s own origin';
    case 'unlisted':
      return `sent from ${evidence.origin}, which is not among the origins`;
    case 'unknown':
      return evidence.unknown === 'null'
        ? 'its browser hides from which page it comes (Origin: null)'
        : 'it does not say from which page it comes';
    case 'within':
      return 'within the rate limit';
    case 'beyond':
      return `more than ${evidence.most} within ${time(evidence.withinMs)}`;
    case 'client_unknown':
      return `not counted, since nobody knows who sends it: ${clientWords(evidence)}`;
  }
}

/** Why nobody knows who sends a submission. */
export function clientWords({ why, network }: Pick<ClientUnknown, 'why' | 'network'>): string {
  switch (why) {
    case 'no_peer':
      return 'the runtime does not say who connected';
    case 'proxy_unlisted':
      return `it comes from ${network}, as from a proxy; name that in TRUSTED_PROXIES, or write none where no proxy is`;
    case 'proxy_silent':
      return 'a proxy of TRUSTED_PROXIES does not say whom it speaks for in the header of PROXY_HEADER';
  }
}

const minFillWords = {
  token_missing: 'the token is missing',
  token_unknown: 'the token was not issued for this form with this FORM_TOKEN_SECRET',
  token_in_future: 'the token was issued in the future: compare the clocks of the copies',
  no_secret: 'FORM_TOKEN_SECRET is not set',
} as const;

const proofWords: Readonly<Record<ProofEvidence['code'], string>> = {
  solved: 'the puzzle is solved',
  answered: 'the question is answered',
  not_needed: 'no puzzle is asked for',
  without_script: 'there is no solution, which the form takes (without_script: allow)',
  missing: 'there is no solution: it was sent without the form’s script',
  malformed: 'what stands in the place of the solution is none',
  forged: 'the puzzle was not made by this relay with this FORM_TOKEN_SECRET',
  wrong: 'the solution is wrong',
  other_form: 'the solution is for another form',
  expired: 'the solution is too old (form_ttl)',
  used: 'the solution was sent before',
  too_easy: 'the solution is for an easier puzzle than the one asked for',
  no_secret: 'FORM_TOKEN_SECRET is not set',
  captcha_solved: 'the captcha is solved',
  captcha_failed: 'the captcha is not solved',
};

/** Of what ended a submission. telling/check_story.ts says more of it. */
function doubtWords({ score, action, signals, silent }: DoubtEvidence): string {
  const why = signals.map(({ signal, points, why }) => `${signal} ${points} (${why})`);
  const not = silent.map(({ signal, why }) => `${signal} says nothing (${why})`);
  return [`${score} ${score === 1 ? 'point' : 'points'}: ${action}`, ...why, ...not].join('; ');
}

function scanWords(evidence: ScanEvidence): string {
  const { scanner } = evidence;
  switch (evidence.code) {
    case 'scanned': {
      const { files, unseen } = evidence;
      if (files === 0) return 'no files to scan';
      const all = files === 1 ? '1 file' : `${files} files`;
      if (evidence.isPretended) return `${scanner} would look at ${all}`;
      const seen = `${scanner} saw ${all} and found nothing`;
      return unseen.length > 0
        ? `${seen}; too large for it, and delivered unseen: ${unseen.join(', ')}`
        : seen;
    }
    case 'refused':
      return evidence.found
        .map(({ field, signature }) =>
          signature === undefined
            ? `a file of "${field}" is too large for ${scanner}`
            : `${scanner} found ${signature} in a file of "${field}"`,
        )
        .join('; ');
    case 'unscanned':
      return `no verdict of ${scanner}: ${evidence.error instanceof ClientError ? evidence.error.message : 'internal error'}`;
  }
}

function captchaWords({ code, provider, field, codes = [], score, error }: CaptchaEvidence): string {
  switch (code) {
    case 'accepted':
      return `${provider} accepts the token in "${field}"`;
    case 'token_missing':
      return `the token in "${field}" is missing`;
    case 'refused':
      return `${provider} does not accept the token: ${codes.join(', ') || `score ${score ?? 'unknown'}`}`;
    case 'score_too_low':
      return `${provider} does not accept the token: score ${score ?? 'unknown'}`;
    case 'secret_refused':
      return 'the provider does not take the secret';
    case 'no_score':
      return 'min_score is set and the verdict has no score: is it a v3 key?';
    case 'unverified':
      return error instanceof ClientError ? error.message : 'no verdict could be had';
    case 'internal_error':
      return 'internal error';
  }
}

function time(ms: number): string {
  if (ms >= 3_600_000) return `${round(ms / 3_600_000)} h`;
  return ms >= 120_000 ? `${round(ms / 60_000)} min` : `${round(ms / 1_000)} s`;
}

const round = (amount: number) => Math.round(amount * 10) / 10;
