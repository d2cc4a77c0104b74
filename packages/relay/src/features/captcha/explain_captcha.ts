import { ClientError } from '../../base/client_error.ts';
import type { CaptchaEvidence } from '../../base/event.ts';

/** The owner must act on these captchas: there is no verdict, or no valid one. */
export const withoutVerdict: ReadonlySet<string> = new Set<CaptchaEvidence['code']>([
  'secret_refused',
  'no_score',
  'unverified',
  'internal_error',
]);

/** Puts the provider's verdict into words. */
export function explainCaptcha(evidence: CaptchaEvidence): string {
  const { code, provider, field, codes = [], score, error } = evidence;
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
