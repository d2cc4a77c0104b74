import { printable } from '@form-relay/core/config/excerpt';
import type { WebhookProblem } from './check_webhook.ts';

/** The problem and its remedy, in words. */
export function webhookWords(problem: WebhookProblem, secretName: string): string {
  switch (problem.code) {
    case 'header_missing':
      return `there is no header ${problem.header}`;
    case 'header_empty':
      return `the header ${problem.header} is empty`;
    case 'header_twice':
      return `the header ${problem.header} stands there more than once`;
    case 'timestamp_malformed':
      return `webhook-timestamp is "${printable(problem.found)}", not a time in Unix seconds`;
    case 'too_old': {
      const { sentAt, at, toleranceMs } = problem;
      return `webhook-timestamp is too old by ${inWords(at - sentAt - toleranceMs)}: sent ${instant(sentAt)}, ${inWords(at - sentAt)} ago; --at or --any-age checks what was kept`;
    }
    case 'too_new': {
      const { sentAt, at, toleranceMs } = problem;
      return `webhook-timestamp is too far in the future by ${inWords(sentAt - at - toleranceMs)}: sent ${instant(sentAt)}; one of the two clocks is wrong`;
    }
    case 'no_v1_signature':
      return 'webhook-signature holds no signature that begins with v1,';
    case 'signature_malformed':
      return 'webhook-signature is cut or changed: after v1, come 32 bytes in base64';
    case 'signature_differs': {
      const { bodyBytes, announcedBytes } = problem;
      const length =
        announcedBytes === undefined
          ? ''
          : ` (content-length is ${announcedBytes}, and the body has ${bodyBytes} bytes)`;
      const why =
        bodyBytes === 0
          ? ', and the body is empty; was it kept?'
          : `: either ${secretName} is not the sender's secret, or the headers or the body are not as they were sent (parsed and written again? a line break at its end?)`;
      return `the signature does not match${length}${why}`;
    }
  }
}

export const instant = (ms: number): string => new Date(ms).toISOString().replace('.000', '');

/** Roughly, in the largest unit of which there are two. */
function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} days`;
}
