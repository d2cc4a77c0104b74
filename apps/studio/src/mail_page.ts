import type { RelayResponse } from '@form-relay/core/index';
import { answer, nothing } from './answers.ts';
import type { Entry } from './inbox.ts';
import { mailPath, mailSandbox, mailsIn, type Scheme } from './mails.ts';

/** Serves the HTML of a mail at its `mailAddress`. */
export function serveMail(entries: readonly Entry[], path: string): RelayResponse {
  const [, number, index, scheme] = /^(\d+)\/(\d+)\/(light|dark)$/.exec(path.slice(mailPath.length)) ?? [];
  const entry = entries.find((one) => one.number === Number(number));
  const mail = entry && mailsIn(entry.story)[Number(index)];
  if (mail?.html === undefined) return nothing(404);
  return answer('text/html', inScheme(mail.html, scheme as Scheme), {
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

/** The mail as programs in this scheme show it: its media queries for colours always match, or never. */
const inScheme = (markup: string, scheme: Scheme): string =>
  markup
    .replaceAll(/<style\b[^>]*>.*?<\/style>/gis, (rules) =>
      rules.replaceAll(/\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi, (_, asked: string) =>
        asked.toLowerCase() === scheme ? '(min-width:0)' : '(max-width:0)',
      ),
    )
    .replace(
      /<head\b[^>]*>/i,
      (head) => `${head}<base target="_blank"><style>:root{color-scheme:${scheme}!important}</style>`,
    );
