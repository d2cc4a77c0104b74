/** Forms in one language other than English, or in several: the texts, and the choice of a visitor's language. */
import { chain } from '@form-relay/base/maybe_promise';
import { parseQuery } from '@form-relay/base/urlencoded';
import type {
  Diagnostics,
  Format,
  Locale,
  Messages,
  Plugin,
  RelayRequest,
  Size,
  Wait,
} from '@form-relay/core/index';
import { englishFormat, voiceOf, wholeUnits } from '@form-relay/core/messages/message';
import { feature } from '@form-relay/core/plugin';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { languageKeys } from './keys.ts';
import { acceptedAmong, canonicalTag, chooseLanguage, isRightToLeft, parentAmong } from './negotiate.ts';
import {
  loadVoices,
  namedIn,
  type OwnMessages,
  ownKeys,
  readOwnMessages,
  type Voices,
  warnUnused,
} from './texts.ts';
import { writtenLanguages } from './words.ts';

declare module '@form-relay/core/plugin' {
  interface Shared {
    languages: Voices;
  }
  interface Provided {
    languages: FormLanguages;
  }
}

/** The languages that a form names. */
export interface FormLanguages {
  readonly offered: readonly string[];
  /** The locale of the offered language that matches the tag; `undefined` if none matches. */
  localeOf(tag: string): Locale | undefined;
}

export const languages = feature({
  name: 'languages',
  keys: { form: languageKeys, top: languageKeys },
  configureTop: (top, at, context) => {
    const isUsed =
      formNames.some((key) => top[key] !== undefined) ||
      [...context.forms.values()].some((form) => formNames.some((key) => form[key] !== undefined));
    if (!isUsed) return undefined;
    return chain(loadVoices(top, at, context), (voices) => {
      checkNamed(top, voices.ownTags, at);
      return voices;
    });
  },
  configure: ({ form, top, fields, localized, shared: voices, messagesIn }, at) => {
    const own = voices && readOwnMessages(form.messages, at.in('messages'), messagesIn('en'));
    const named = namedIn(form);
    const offered = named.length > 0 ? named : namedIn(top);
    if (!voices || (offered.length === 0 && !own && !voices.messages)) return undefined;
    checkNamed(form, [...voices.ownTags, ...(own?.byLanguage.keys() ?? [])], at);
    if (own)
      warnUnused(ownKeys(form.messages, own), offered.length > 0 ? offered : ['en'], at.in('messages'));
    if (offered.length === 0) {
      const plain = localeOf(undefined, [], [voices.messages, own], voices);
      return { selectLocale: () => plain };
    }
    for (const text of localized) checkText(text.languages, offered, at.in(...text.path));
    // A query parameter fills in a field of this name first (SPEC: GET /api/v1/form/{form}).
    const isAskable = !fields.some(({ name }) => name === 'lang');
    const isNegotiated = offered.length > 1;
    const locales = new Map(
      offered.map((tag) => [
        tag,
        {
          ...localeOf(tag, offered, [voices.messages, own], voices),
          ...(isNegotiated && { isNegotiated, ...(isAskable && { query: `lang=${tag}` }) }),
        },
      ]),
    );
    const first = locales.get(offered[0] ?? '') as Locale;
    return {
      provides: { offered, localeOf: (tag) => locales.get(chooseLanguage([tag], offered) ?? '') },
      selectLocale: (request) => {
        if (!isNegotiated || !request) return first;
        const tag =
          (isAskable ? requestedIn(request, offered) : undefined) ??
          acceptedAmong(request.headers['accept-language'] ?? '', offered);
        return locales.get(tag ?? '') ?? first;
      },
    };
  },
});

const formNames = ['language', 'languages', 'messages'] as const;

export const plugin: Plugin = { name: 'languages', features: [languages] };

const requestedIn = ({ query }: RelayRequest, offered: readonly string[]): string | undefined => {
  const tag = query.includes('lang=') ? parseQuery(query)?.get('lang')?.[0] : undefined;
  return tag === undefined ? undefined : chooseLanguage([tag], offered);
};

/** @param owners The owner's texts, those with the lowest priority first. */
function localeOf(
  language: string | undefined,
  offered: readonly string[],
  owners: readonly (OwnMessages | undefined)[],
  voices: Voices,
): Locale {
  const tag = language ?? 'en';
  const replaced: Messages = Object.assign({}, ...owners.flatMap((one) => textsFor(tag, one)));
  const texts = voices.textsIn(tag);
  /** Caches what each text parses to, since every rendering needs it. */
  const read = new WeakMap<ReadonlyMap<string, unknown>, unknown>();
  return {
    language,
    ...(language !== undefined && { direction: isRightToLeft(language) ? 'rtl' : 'ltr' }),
    // Forms without texts of their own share one object.
    ...voiceOf(Object.keys(replaced).length > 0 ? { ...texts, ...replaced } : texts, formatIn(tag)),
    isOwn: (code) => Object.hasOwn(replaced, code),
    text: <T>(wording: T | ReadonlyMap<string, T>): T => {
      if (!(wording instanceof Map)) return wording as T;
      const known = read.get(wording);
      if (known !== undefined) return known as T;
      const byTag = new Map([...wording].map(([key, text]) => [canonicalTag(key), text]));
      const [found = wording.values().next().value] = [tag, ...offered].flatMap(
        (one) => byTag.get(one) ?? [],
      );
      read.set(wording, found);
      return found;
    },
  };
}

/** The texts of `messages` that apply to a language, those with the lowest priority first. */
function textsFor(tag: string, messages: OwnMessages | undefined): readonly Messages[] {
  if (!messages) return [];
  const { everywhere, byLanguage } = messages;
  return [everywhere, byLanguage.get(parentAmong(tag, [...byLanguage.keys()]) ?? '') ?? {}];
}

/** Reports languages without texts, and a `language` that is missing from `languages`. */
function checkNamed(
  keys: { readonly language?: string | undefined; readonly languages?: readonly string[] | undefined },
  ownTags: readonly string[],
  at: Diagnostics,
): void {
  const { language, languages: several = [] } = keys;
  const known = [...writtenLanguages, ...ownTags];
  const check = (tag: string, place: Diagnostics) => {
    if (parentAmong(tag, known) !== undefined) return;
    const near = didYouMean(nearest(tag, known));
    place.error(
      `the relay has no texts in "${tag}"${near || `; its languages are ${writtenLanguages.join(', ')}`}; add your own texts under messages`,
    );
  };
  if (language !== undefined) check(language, at.in('language'));
  for (const [index, tag] of several.entries()) check(tag, at.in('languages', index));
  if (language !== undefined && several.length > 0 && !several.includes(language))
    at.in('language').error(`expected one of the languages ${several.join(', ')}`);
}

/** Reports a text that lacks one of the form's languages, or has another. */
function checkText(written: readonly string[], offered: readonly string[], at: Diagnostics): void {
  const tags = written.map((key) => canonicalTag(key));
  for (const [index, key] of written.entries())
    if (!offered.includes(tags[index] ?? ''))
      at.in(key).error(
        `this is not a language of the form${didYouMean(nearest(key, offered)) || `; its languages are ${offered.join(', ')}`}`,
        { aboutKey: true },
      );
  const there = offered.filter((tag) => tags.includes(tag));
  const missing = offered.filter((tag) => !there.includes(tag));
  if (there.length > 0 && missing.length > 0)
    at.warning(
      `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing; visitors see the text in ${there[0]} instead`,
    );
}

/**
 * How a language writes numbers, dates, sizes and lists. All forms share it, since `Intl` objects are slow to
 * create and use much memory.
 */
export function formatIn(language: string): Format {
  const format = formats.get(language) ?? makeFormat(language);
  formats.set(language, format);
  return format;
}

const formats = new Map<string, Format>();

/** Dates look like those in the browsers' date fields. */
function makeFormat(language: string): Format {
  // The core writes English without `Intl`.
  if (/^en\b/.test(language)) return { ...englishFormat, ...(language !== 'en' && spellsIn(language)) };
  // Without the fallback, `Intl` would use the machine's language for an unknown one.
  const locales = [language, 'en'];
  let plurals: Intl.PluralRules | undefined;
  let numbers: Intl.NumberFormat | undefined;
  let days: Intl.DateTimeFormat | undefined;
  /**
   * During a flood beyond a limit, each response names a waiting time. Creating a format costs more than the
   * rest of the response.
   */
  const waits = new Map<string, Intl.NumberFormat>();
  const writeWait = (wait: Wait): string => {
    const { amount, unit } = wholeUnits(wait);
    const format =
      waits.get(unit) ?? new Intl.NumberFormat(locales, { style: 'unit', unit, unitDisplay: 'long' });
    waits.set(unit, format);
    return format.format(amount);
  };
  return {
    plural: (count) => {
      plurals ??= new Intl.PluralRules(locales);
      return plurals.select(count);
    },
    list: (items) => new Intl.ListFormat(locales, { type: 'disjunction' }).format(items),
    write: (value) => {
      if (typeof value === 'number') {
        numbers ??= new Intl.NumberFormat(locales, { maximumFractionDigits: 20, useGrouping: false });
        return numbers.format(value);
      }
      if ('spell' in value) return value.spell(locales);
      if ('bytes' in value) return writeSize(value, locales);
      if ('decimal' in value) return writeDecimal(value.decimal, locales);
      if ('seconds' in value) return writeWait(value);
      days ??= new Intl.DateTimeFormat(locales, dayFormat);
      return days.format(new Date(value.day));
    },
  };
}

/** Regional English, such as `en-GB`, has its own date format. */
const spellsIn = (language: string): Pick<Format, 'write'> => ({
  write: (value) =>
    typeof value === 'object' && 'spell' in value
      ? value.spell([language, 'en'])
      : englishFormat.write(value),
});

/** Returns text unchanged if it is no plain number or has more digits than `Intl` can write. */
function writeDecimal(decimal: string, locales: string[]): string {
  if (!/^-?\d*\.?\d{1,20}$/.test(decimal)) return decimal;
  const places = decimal.split('.')[1]?.length ?? 0;
  const options = { useGrouping: false, minimumFractionDigits: places, maximumFractionDigits: places };
  return new Intl.NumberFormat(locales, options).format(decimal as `${number}`);
}

/** Uses steps of 1,024, as in English: `1,2 Mo`. */
function writeSize(size: Size, locales: string[]): string {
  const [, number = '', unit = ''] = /^(\S+) (\w+)$/.exec(englishFormat.write(size)) ?? [];
  const name = unit === 'MB' ? 'megabyte' : unit === 'KB' ? 'kilobyte' : 'byte';
  return new Intl.NumberFormat(locales, { style: 'unit', unit: name }).format(Number(number));
}

/** Date fields use this calendar in every country. */
const dayFormat = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  calendar: 'gregory',
  timeZone: 'UTC',
} as const;
