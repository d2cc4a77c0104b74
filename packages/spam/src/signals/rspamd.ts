import type { HttpAnswer } from '@form-relay/core/index';
import { httpUrl, isMap, optional, secretVariable } from '@form-relay/core/kit';
import { failed } from '../failures.ts';
import {
  askService,
  bodyOf,
  commandAt,
  emailIn,
  keyFrom,
  numberIn,
  objectIn,
  publicAddress,
  textIn,
} from './service.ts';
import { type Found, type Seen, signal } from './signal.ts';

const defaultUrl = new URL('http://localhost:11333');

/** Below this share of what rspamd needs to call a mail spam, it says nothing of weight. */
const leastShare = 0.2;

interface Keys {
  readonly url?: URL | undefined;
  readonly password_env?: string | undefined;
}

export const rspamd = signal({
  name: 'rspamd',
  summary:
    'Asks an rspamd of your own about what was typed in fields for text, the mail address and the sender’s IP address.',
  weight: 5,
  isDefault: false,
  keys: {
    url: optional('Where its worker listens. Default: `http://localhost:11333`.', httpUrl()),
    password_env: optional(
      'The environment variable that holds its password, where it has one.',
      secretVariable(),
    ),
  },
  service: (keys: Keys) => ({
    host: hostOf(keys),
    needs: keys.password_env === undefined ? [] : [keys.password_env],
    probe: async ({ services }, timeoutMs) => {
      const url = commandAt(keys.url ?? defaultUrl, 'ping');
      const said = bodyOf(await services.http({ method: 'GET', url, headers: {}, body: '', timeoutMs }));
      if (said.trim() !== 'pong') throw failed('service_without_verdict');
    },
  }),
  look: (keys: Keys) => (seen, world) => {
    const about = { from: emailIn(seen), ip: publicAddress(seen), text: textIn(seen) };
    if (about.text === '') return undefined;
    const request = (timeoutMs: number) => ({
      url: commandAt(keys.url ?? defaultUrl, 'checkv2'),
      headers: {
        'content-type': 'message/rfc822',
        ...(about.from !== undefined && isPlain(about.from) && { from: about.from }),
        ...(about.ip !== undefined && { ip: about.ip }),
        ...(keys.password_env && { password: keyFrom(keys.password_env, world.services) }),
      },
      body: madeUpMail(about, seen),
      timeoutMs,
    });
    const asked = { signal: 'rspamd', host: hostOf(keys), about, request, verdict: verdictOf };
    return askService(asked, seen, world);
  },
});

const hostOf = ({ url = defaultUrl }: Keys): string => url.host;

/** Headers of HTTP and of a mail of old take nothing else. */
const isPlain = (address: string) => /^[\x21-\x7e]+$/.test(address);

/** rspamd knows mails alone. The text goes as base64, so that nothing of it can be taken for a header. */
function madeUpMail(
  { from, text }: { from: string | undefined; text: string },
  { receivedAt }: Seen,
): string {
  const sender = from !== undefined && isPlain(from) ? from : 'visitor@form.invalid';
  return [
    `From: <${sender}>`,
    'To: <form@form.invalid>',
    'Subject: Form',
    `Date: ${new Date(receivedAt).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${receivedAt}@form.invalid>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(text)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
    '',
  ].join('\r\n');
}

/**
 * Symbols of rspamd about a mail's route, structure and envelope, which a made-up mail doesn't have.
 */
const ofTheWay =
  /^(?:ARC|ASN|AUTH|DATE|DIRECT|DKIM|DMARC|ENVFROM|FORGED|FROM|HAS|HFILTER|INVALID|MID|MIME|MISSING|MV|MX|ONCE|R_DKIM|R_NO_SPACE|R_SPF|RCPT|RCVD|RDNS|RECEIVED|SUBJ|SUBJECT|TO|VIOLATED)(?:_|$)/;

/** `{"score": 9.5, "required_score": 15, "symbols": {"BAYES_SPAM": {"score": 5.1}, …}}` */
function verdictOf(answer: HttpAnswer): Found | undefined {
  const { required_score: required, symbols, is_skipped: isSkipped } = objectIn(answer);
  const needed = numberIn(required);
  if (isSkipped === true || needed === undefined || needed <= 0 || !isMap(symbols)) {
    throw failed('service_without_verdict');
  }
  let score = 0;
  let count = 0;
  for (const [name, symbol] of Object.entries(symbols)) {
    const points = isMap(symbol) && !ofTheWay.test(name) ? (numberIn(symbol.score) ?? 0) : 0;
    score += points;
    if (points > 0) count += 1;
  }
  const share = Math.min(1, score / needed);
  return share >= leastShare
    ? {
        strength: share,
        why: `${count} ${count === 1 ? 'symbol' : 'symbols'}, ${Math.round(score * 10) / 10} of ${needed}`,
      }
    : undefined;
}
