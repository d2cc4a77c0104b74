import { clientNetwork, readAddress } from '@form-relay/base/networks';
import { letter, mark, numberSign } from '@form-relay/base/unicode';
import { withoutEmpty } from '@form-relay/base/values';
import type { Field } from '@form-relay/core/index';
import { comparedWords, mostCharacters, pairsOf, sketchOf } from '../lists/sketch.ts';
import type { Noted } from '../score/texts.ts';
import { sign, unspaced } from '../words.ts';
import { hostsOf } from './links.ts';
import { ofFields, type Typed as Text, typedIn, wordsOf } from './own_words.ts';
import { type SignalInput, type SignalResult, signal } from './signal.ts';

interface Typed extends Pick<SignalInput, 'values'> {
  readonly fields: readonly Pick<Field, 'name' | 'type'>[];
}

function typedInto({ fields, values }: Typed, types: readonly string[]): readonly string[] {
  const typed: string[] = [];
  for (const { name, type } of fields) {
    if (!types.includes(type)) continue;
    for (const value of withoutEmpty(values.get(name) ?? [])) typed.push(value.trim());
  }
  return typed;
}

export const freeTexts = (seen: Typed): readonly string[] => typedInto(seen, ['text', 'textarea']);

/** The values of mail address fields. */
export const mailAddresses = (seen: Typed): readonly string[] => typedInto(seen, ['email']);

/** Further domains in a submission are ignored. */
const mostDomains = 200;

/** The domains of mail and web addresses, and anything else in the typed text that may be a domain. */
export function domainsIn(seen: Typed): ReadonlySet<string> {
  const domains = new Set<string>();
  for (const text of typedInto(seen, ['email', 'url', 'text', 'textarea'])) {
    if (!text.includes('.')) continue;
    for (const found of domainLike(text)) {
      domains.add(found.toLowerCase());
      if (domains.size >= mostDomains) return domains;
    }
  }
  return domains;
}

/** Names joined by dots, anywhere in the text: a link may directly follow a word, or be part of another link. */
const named = (one: string, flags: string) => new RegExp(`${one}+(?:(?:\\.|-+)${one}+)*`, flags);
const plain = named('[a-z\\d]', 'gi');
const written = named(`[${letter}${numberSign}${mark}]`, 'gu');
/** In some languages, the next sentence follows without a space. */
const sentence = new RegExp(`[${unspaced}]+`, 'u');
/** `/`, `:` and `=`, encoded because one link is in the query of another. */
const escaped = /%(?:2f|3a|3d)/gi;
/** The part before the `@` of a mail address is not a domain: `call.me@example.com`. */
const beforeAt = /[\w.+%~-]{0,64}@/y;

function* domainLike(typed: string): Generator<string> {
  const text = typed.replaceAll(escaped, ' ');
  for (const { 0: run, index } of text.matchAll(/[^\0-\x7f]/.test(text) ? written : plain)) {
    if (!run.includes('.')) continue;
    beforeAt.lastIndex = index + run.length;
    if (beforeAt.test(text)) continue;
    yield run;
    yield* run.split(sentence).filter((part) => part !== run && part.includes('.'));
  }
}

export const program = signal({
  name: 'program',
  summary: 'A request that no browser sends: the request names a program, or lacks headers of browsers.',
  weight: 2,
  score:
    () =>
    ({ headers }): SignalResult => {
      if (!headers) return undefined;
      const agent = headers['user-agent'] ?? '';
      // CloudFront replaces the browser's user agent.
      if (/^amazon cloudfront$/i.test(agent)) return undefined;
      if (agent === '') return { score: 1, why: 'no user agent' };
      if (programNames.test(agent)) return { score: 1, why: 'the user agent of a program' };
      if (headers['accept-language'] === undefined) return { score: 0.75, why: 'no accept-language' };
      // Only Chromium-based browsers send this header.
      if (headers['sec-ch-ua'] !== undefined && agent.includes('Firefox/'))
        return { score: 1, why: 'a forged user agent' };
      return undefined;
    },
});

/** Libraries and tools under their own names, and headless browsers. */
const programNames =
  /^(?:curl|wget|python|go-http-client|java|okhttp|axios|node|undici|got|libwww|lwp|ruby|php|guzzle|postman|insomnia|apache-httpclient|scrapy|httpx?|aiohttp|http_request|winhttp|powershell)\b|headlesschrome|phantomjs|python-requests/i;

export const repeated = signal({
  name: 'repeated',
  summary:
    'A text of six words or more that resembles one from another sender in the same form within three days; numbers and links are ignored. A single match adds half of the points, and three add all; a text without a link or an address gets at most three quarters, a short one half.',
  weight: 4,
  score:
    () =>
    (seen, { texts }) => {
      const { formId, address, receivedAt } = seen;
      const typed = comparedTexts(seen);
      const sketch = sketchOf(comparedIn(typed), givenPairs(seen));
      if (!sketch) return undefined;
      const client = clientOf(address);
      const noted = texts.note({ at: receivedAt, form: formId, client, sketch });
      return resultOf(noted, typed, seen);
    },
});

/** Initial values come from the owner, and most visitors leave them unchanged. */
const givenPairs = ofFields((fields) =>
  pairsOf(comparedWords(fields.flatMap(({ value = [] }) => value).join('\n'))),
);

/** Longer values are not names. */
const longestName = 60;

/** All text that visitors typed, in any field, without their names. */
const comparedTexts = (seen: SignalInput): readonly Text[] =>
  typedIn(seen).filter(
    ({ field, asksFor, text }) => field.type !== 'tel' && (asksFor !== 'name' || text.length > longestName),
  );

const joined = (typed: readonly Text[]) => typed.map(({ text }) => text).join('\n');

/** Texts without links or addresses already have their words. */
function comparedIn(typed: readonly Text[]): readonly string[] {
  const length = typed.reduce((sum, { text }) => sum + text.length + 1, 0);
  const isPlain = typed.every(({ signs }) => (signs & (sign.link | sign.target)) === 0);
  return isPlain && length <= mostCharacters
    ? ([] as string[]).concat(...typed.map(({ words }) => words))
    : comparedWords(joined(typed));
}

const hasTarget = /:\/\/|www\.|@/i;

const shortWords = 24;

/** People may send the same request as others, but without links or contact addresses. */
const mostOf = (typed: readonly Text[], seen: SignalInput): number =>
  typed.some(({ text }) => hasTarget.test(text)) || hostsOf(seen).all.size > 0
    ? 1
    : wordsOf(seen).length < shortWords
      ? 0.5
      : 0.75;

function resultOf({ against, undo }: Noted, typed: readonly Text[], seen: SignalInput): SignalResult {
  if (against === 0) return { undo };
  const others = against === 1 ? 'another' : `${against} others`;
  return {
    score: Math.min(mostOf(typed, seen), (against + 1) / 4),
    why: `similar to ${others} within three days`,
    undo,
  };
}

/** An IPv4 address is one client, in whichever notation: use the one that the relay writes. */
function clientOf(address = ''): string {
  const parsed = address.includes(':') ? readAddress(address) : undefined;
  return parsed ? clientNetwork(parsed) : address;
}
