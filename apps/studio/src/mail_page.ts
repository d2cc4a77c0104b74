import type { RelayResponse } from '@form-relay/core/index';
import { answer, nothing } from './answers.ts';
import type { Entry } from './inbox.ts';
import { mailPath, mailSandbox, mailsIn } from './mails.ts';

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

/** No script, and nothing from elsewhere. */
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  `sandbox ${mailSandbox}`,
].join('; ');

/** Opens its links outside the studio. */
const withBase = (markup: string): string =>
  markup.replace(/<head\b[^>]*>/i, (head) => `${head}<base target="_blank">`);
