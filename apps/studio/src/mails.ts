/** Mails in reports. The page imports this file, so it may import only types. */

import type { RelayResponse } from '@form-relay/core/index';
import type { Sent, SubmissionReport } from '@form-relay/dry-run/report';
import { answer, nothing } from './answers.ts';
import type { Entry } from './inbox.ts';

export type Mail = Extract<Sent, { kind: 'mail' }>;

/** All mails of a submission, in the order of their URLs. */
export const mailsIn = ({ outputs, mails }: Pick<SubmissionReport, 'outputs' | 'mails'>): readonly Mail[] =>
  [...outputs, ...mails].flatMap(({ sent }) => sent).filter((one) => one.kind === 'mail');

export const mailPath = '/studio/mail/';

/** The URL of a mail's HTML. `index`: its position in `mailsIn`. */
export const mailAddress = (number: number, index: number): string => `${mailPath}${number}/${index}`;

/** The `sandbox` attribute: links open outside the studio, as in a mail program. */
export const mailSandbox = 'allow-popups allow-popups-to-escape-sandbox';

/** Serves the HTML of a mail at its `mailAddress`. */
export function serveMail(entries: readonly Entry[], path: string): RelayResponse {
  const [, number, index] = /^(\d+)\/(\d+)$/.exec(path.slice(mailPath.length)) ?? [];
  const entry = entries.find((one) => one.number === Number(number));
  const mail = entry && mailsIn(entry.report)[Number(index)];
  if (mail?.html === undefined) return nothing(404);
  return answer('text/html', withBase(mail.html), {
    'content-security-policy': mailPolicy,
    'referrer-policy': 'no-referrer',
  });
}

/** Allows no script, and nothing from other hosts. */
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  `sandbox ${mailSandbox}`,
].join('; ');

/** Makes links open outside the studio. */
const withBase = (markup: string): string =>
  markup.replace(/<head\b[^>]*>/i, (head) => `${head}<base target="_blank">`);
