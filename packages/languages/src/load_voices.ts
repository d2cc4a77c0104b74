import type { Diagnostics, MaybePromise, Messages, TopContext } from '@form-relay/core/index';
import { canonicalTag, parentAmong } from './negotiate.ts';
import { type OwnMessages, readOwnMessages, warnMissing, warnMistakes } from './texts.ts';
import { loadWords, writtenLanguages } from './words.ts';

/** The words of all languages that a config names. */
export type Voices = ReturnType<typeof makeVoices>;

interface Keys {
  readonly language?: string | undefined;
  readonly languages?: readonly string[] | undefined;
  readonly messages?: unknown;
}

/** The languages that keys name, each once. */
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
    /** The relay's words in a language. */
    textsIn: (tag: string): Messages => texts.get(tag) ?? english,
    /** `messages` at the top. */
    messages,
    /** Languages with words of the owner's or of plug-ins. */
    ownTags: [...(messages?.byLanguage.keys() ?? []), ...ofPlugins],
  };
}

/** Warns about languages that no form has. */
export function warnUnused(keys: Iterable<string>, tags: readonly string[], at: Diagnostics): void {
  for (const key of keys) {
    const tag = canonicalTag(key);
    if (tag !== undefined && !tags.some((one) => parentAmong(one, [tag]) !== undefined))
      at.in(key).warning(`no form here speaks "${tag}"`, { aboutKey: true });
  }
}

/** The keys of `messages` that are languages, as written. */
export const ownKeys = (written: unknown, messages: OwnMessages | undefined): readonly string[] =>
  [...(messages?.byLanguage.keys() ?? [])].map((tag) => keyOf(written, tag));

const keyOf = (written: unknown, tag: string): string =>
  Object.keys(written as object).find((key) => canonicalTag(key) === tag) ?? tag;
