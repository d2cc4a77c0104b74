import type { MaybePromise, Messages, Plugin, Text, TopContext } from '@form-relay/core/index';
import { Diagnostics, shown } from '@form-relay/schema/diagnostics';
import { isMap } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { canonicalTag, parentAmong } from './negotiate.ts';
import { loadWords, writtenLanguages } from './words.ts';

/** The owner's texts in `messages`, for all languages and for single ones, which take precedence. */
export interface OwnMessages {
  readonly everywhere: Messages;
  /** Texts by language tag. */
  readonly byLanguage: ReadonlyMap<string, Messages>;
}

/** Reads texts by code, or by language and code. `english` contains all known codes. */
export function readOwnMessages(
  written: unknown,
  at: Diagnostics,
  english: Messages,
): OwnMessages | undefined {
  if (written === undefined) return undefined;
  if (!isMap(written)) return at.error(noMap(written, at));
  const byLanguage = new Map<string, Messages>();
  const codes: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(written)) {
    const tag = Object.hasOwn(english, key) ? undefined : canonicalTag(key);
    if (tag === undefined) codes[key] = value;
    else byLanguage.set(tag, readTexts(value, at.in(key), english));
  }
  return { everywhere: readTexts(codes, at, english), byLanguage };
}

const noMap = (written: unknown, at: Diagnostics) =>
  `found ${shown(written, at)}; expected a map such as {submit: Go}`;

/** Reads texts by code. Each is a text or a map of plural forms. */
export function readTexts(written: unknown, at: Diagnostics, english: Messages): Messages {
  if (!isMap(written)) return at.error(noMap(written, at)) ?? {};
  const texts: Record<string, Text> = {};
  for (const [code, value] of Object.entries(written)) {
    const known = Object.hasOwn(english, code) ? english[code] : undefined;
    if (known === undefined) {
      const near = nearestOf(code, Object.keys(english));
      at.in(code).error(
        `the relay has no text with this name${didYouMean(near) || '; relay form messages prints all names'}`,
        { aboutKey: true },
      );
      continue;
    }
    const text = readText(value, at.in(code), code, parametersOf(known));
    if (text !== undefined) texts[code] = text;
  }
  return texts;
}

/** `nearest` considers at most 200 names. */
const nearestOf = (word: string, names: readonly string[]) =>
  nearest(
    word,
    names.filter((name) => Math.abs(name.length - word.length) < 3 || name.startsWith(word)),
  );

const pluralForms: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other'];

function readText(value: unknown, at: Diagnostics, code: string, known: readonly string[]): Text | undefined {
  if (typeof value === 'string') {
    checkParameters(value, at, code, known);
    return value;
  }
  if (!isMap(value))
    return at.error(
      `found ${shown(value, at)}; expected text, or a map of plural forms, such as one and other`,
    );
  const { count, ...forms } = value;
  const texts: Record<string, string> = {};
  if (forms.other === undefined) at.error('other is missing');
  for (const [form, text] of Object.entries(forms)) {
    const place = at.in(form);
    if (!pluralForms.includes(form)) {
      const near = nearest(form, pluralForms);
      place.error(`unknown key${didYouMean(near) || `; expected ${either(pluralForms)}`}`, {
        aboutKey: true,
      });
    } else if (typeof text !== 'string') place.error(`found ${shown(text, at)}; expected text`);
    else {
      checkParameters(text, place, code, known);
      texts[form] = text;
    }
  }
  const { other = '', ...rest } = texts;
  return { count: countOf(count, at, known) ?? '', other, ...rest };
}

/** The parameter that selects the plural form: the text's only one, or the one that `count` names. */
function countOf(count: unknown, at: Diagnostics, known: readonly string[]): string | undefined {
  if (count === undefined) {
    if (known.length === 1) return known[0];
    return at.error(
      known.length === 0
        ? 'this message has no number, so it cannot have plural forms; write one text'
        : `count must name the number that decides the form: ${either(known)}`,
    );
  }
  const place = at.in('count');
  if (typeof count !== 'string') return place.error(`found ${shown(count, place)}; expected text`);
  return known.includes(count) ? count : place.error(noSuchParameter(count, known));
}

function checkParameters(text: string, at: Diagnostics, code: string, known: readonly string[]): void {
  const name = vital[code];
  if (name !== undefined && !text.includes(`{${name}}`))
    at.error(`this message needs {${name}}; add {${name}} to the text`);
  for (const {
    0: { length },
    1: one = '',
    index: offset,
  } of text.matchAll(/\{(\w+)\}/g))
    if (!known.includes(one))
      at.error(noSuchParameter(one, known, nearest(one, known)), { within: { of: text, offset, length } });
}

const noSuchParameter = (name: string, known: readonly string[], near?: string) =>
  `there is no {${name}} in this message${
    didYouMean(near) ||
    (known.length > 0 ? `; it has ${known.map((one) => `{${one}}`).join(', ')}` : '; it has none')
  }`;

/** Parameters without which a visitor cannot continue. Owners may omit all others. */
const vital: Readonly<Record<string, string>> = { challenge_question: 'number', receipt: 'code' };

/** The parameters of the English text, which every language may use. */
function parametersOf(text: Text): readonly string[] {
  const words = typeof text === 'string' ? text : Object.values(text).join(' ');
  return [...new Set([...words.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))];
}

const either = (all: readonly string[]) => all.join(', ').replace(/, ([^,]*)$/, ' or $1');

/** Texts for a field's purpose. Languages may omit them, since a general text replaces each. */
const optional =
  /^(missing_(name|given_name|family_name|organization|job_title|street|postal_code|city|region|country|country_option|bday|message)|wrong_postal_code|wrong_tel|not_a_bday)$/;

/** Names the texts that a complete language has but this one lacks. */
function warnMissing(tag: string, texts: Messages, english: Messages, at: Diagnostics): void {
  const missing = Object.keys(english).filter(
    (code) =>
      !Object.hasOwn(texts, code) &&
      !optional.test(code) &&
      // This text only inserts a plug-in's text.
      !/^\{\w+\}$/.test(String(english[code])),
  );
  const { length } = missing;
  const named =
    length <= 12 ? missing.join(', ') : `${missing.slice(0, 10).join(', ')} and ${length - 10} more`;
  if (length > 0)
    at.warning(
      `"${tag}" is missing ${length} ${length === 1 ? 'text, which appears' : 'texts, which appear'} in English: ${named}`,
    );
}

/** Warns about texts of a plug-in that visitors would see with gaps, or never see. The plug-in's own codes need no English text. */
function warnMistakes({ name, messages = {} }: Plugin, english: Messages, at: Diagnostics): void {
  const codes = Object.keys(english);
  for (const [tag, texts] of Object.entries(messages)) {
    const meant = canonicalTag(tag.replaceAll('_', '-'));
    if (meant !== tag)
      at.warning(`"${name}" has messages.${tag}, which is not a language tag${didYouMean(meant)}`);
    const found = new Diagnostics([tag]);
    const known = Object.entries(texts).filter(
      ([code]) => Object.hasOwn(english, code) || nearestOf(code, codes),
    );
    readTexts(Object.fromEntries(known), found, english);
    for (const { path, message } of found.mistakes)
      at.warning(`"${name}" has a mistake in messages.${path.join('.')}: ${message}`);
  }
}

/** The texts of all languages that a config names. */
export type Voices = ReturnType<typeof makeVoices>;

interface Keys {
  readonly language?: string | undefined;
  readonly languages?: readonly string[] | undefined;
  readonly messages?: unknown;
}

/** The languages that the keys name, without duplicates. */
export const namedIn = ({ language, languages = [] }: Keys): readonly string[] => [
  ...new Set([...(language === undefined ? [] : [language]), ...languages]),
];

export function loadVoices(top: Keys, at: Diagnostics, context: TopContext): MaybePromise<Voices> {
  const inherited = namedIn(top);
  const tags = new Set(inherited.length > 0 ? inherited : ['en']);
  for (const form of context.forms.values()) for (const tag of namedIn(form)) tags.add(tag);
  const words = new Map<string, Messages>();
  const loading = [...tags].flatMap((tag) => {
    const parent = parentAmong(tag, writtenLanguages);
    const found = parent === undefined ? {} : loadWords(parent);
    if (found instanceof Promise) return found.then((loaded) => void words.set(tag, loaded));
    words.set(tag, found);
    return [];
  });
  if (loading.length === 0) return makeVoices(top, at, context, words);
  return Promise.all(loading).then(() => makeVoices(top, at, context, words));
}

function makeVoices(top: Keys, at: Diagnostics, context: TopContext, words: ReadonlyMap<string, Messages>) {
  const english = context.messagesIn('en');
  const messages = readOwnMessages(top.messages, at.in('messages'), english);
  const ofPlugins = [...new Set(context.plugins.flatMap(({ messages: said = {} }) => Object.keys(said)))];
  for (const plugin of context.plugins) warnMistakes(plugin, english, at.fromTop('plugins'));
  const spoken = [...writtenLanguages, ...ofPlugins];
  const fromPlugins = (tag: string): Messages | undefined => {
    const parent = parentAmong(tag, spoken);
    return parent === undefined || parent === 'en' ? undefined : context.messagesIn(parent);
  };
  const texts = new Map<string, Messages>();
  for (const [tag, own] of words) texts.set(tag, { ...english, ...own, ...fromPlugins(tag) });
  const tags = [...words.keys()];
  warnUnused(ownKeys(top.messages, messages), tags, at.in('messages'));
  for (const tag of new Set([...(messages?.byLanguage.keys() ?? []), ...tags])) {
    const own = messages?.byLanguage.get(tag);
    const said = fromPlugins(tag);
    if (parentAmong(tag, writtenLanguages) !== undefined || !(own || said)) continue;
    const place = own ? at.in('messages', keyOf(top.messages, tag)) : at.in('language');
    warnMissing(tag, { ...said, ...own }, english, place);
  }
  return {
    /** The relay's texts in a language. */
    textsIn: (tag: string): Messages => texts.get(tag) ?? english,
    /** The top-level `messages`. */
    messages,
    /** Languages for which the owner or plug-ins have texts. */
    ownTags: [...(messages?.byLanguage.keys() ?? []), ...ofPlugins],
  };
}

/** Warns about languages that no form uses. */
export function warnUnused(keys: Iterable<string>, tags: readonly string[], at: Diagnostics): void {
  for (const key of keys) {
    const tag = canonicalTag(key);
    if (tag !== undefined && !tags.some((one) => parentAmong(one, [tag]) !== undefined))
      at.in(key).warning(`no form here has the language "${tag}"`, { aboutKey: true });
  }
}

/** The keys of `messages` that are languages, as the config spells them. */
export const ownKeys = (written: unknown, messages: OwnMessages | undefined): readonly string[] =>
  [...(messages?.byLanguage.keys() ?? [])].map((tag) => keyOf(written, tag));

const keyOf = (written: unknown, tag: string): string =>
  Object.keys(written as object).find((key) => canonicalTag(key) === tag) ?? tag;
