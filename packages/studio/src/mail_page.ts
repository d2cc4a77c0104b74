import type { RelayResponse } from '@form-relay/relay/base';
import type { Sent, Story } from '@form-relay/relay/telling';
import { answer, nothing } from './answers.ts';
import type { Entry } from './inbox.ts';

/** How programs for mail show their readers everything. */
export const schemes = { light: 'Light', dark: 'Dark' } as const;
export type Scheme = keyof typeof schemes;

/** All that a submission sent as mail. */
const mailsIn = ({ outputs, mails }: Story): readonly Sent[] =>
  [...outputs, ...mails].flatMap(({ sent }) => sent).filter(({ kind }) => kind === 'mail');

export const mailPath = '/studio/mail/';

/** Where the HTML of a mail is, for a frame. */
export const mailAddress = ({ number, story }: Entry, mail: Sent, scheme: Scheme): string =>
  `${mailPath}${number}/${mailsIn(story).indexOf(mail)}/${scheme}`;

/** What such an address names. */
export function serveMail(entries: readonly Entry[], path: string): RelayResponse {
  const [, number, index, scheme] = /^(\d+)\/(\d+)\/(light|dark)$/.exec(path.slice(mailPath.length)) ?? [];
  const entry = entries.find((one) => one.number === Number(number));
  const mail = entry && mailsIn(entry.story)[Number(index)];
  if (mail?.kind !== 'mail' || mail.html === undefined) return nothing(404);
  return answer('text/html', inScheme(mail.html, scheme as Scheme), {
    'content-security-policy': mailPolicy,
    'referrer-policy': 'no-referrer',
  });
}

/** No script, and nothing from elsewhere; a link opens beside the studio, as it opens beside a program for mail. */
export const mailSandbox = 'allow-popups allow-popups-to-escape-sandbox';
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  `sandbox ${mailSandbox}`,
].join('; ');

/**
 * As a program shows it that is in this scheme, whatever the browser is in: a mail's own colours for the dark are in a
 * media query, which is made to hold always or never.
 */
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
