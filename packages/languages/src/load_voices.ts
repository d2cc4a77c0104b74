import type { Diagnostics, MaybePromise, Messages, TopContext } from '@form-relay/core/index';
import { readYaml } from '@form-relay/core/kit';
import { canonicalTag, parentAmong } from './negotiate.ts';
import { type OwnMessages, readOwnMessages, readTexts, warnMissing } from './texts.ts';
import { loadWords, writtenLanguages } from './words.ts';

/** The words of all languages that a config names. */
export type Voices = ReturnType<typeof makeVoices>;

interface Keys {
  readonly language?: string | undefined;
  readonly languages?: readonly string[] | undefined;
  readonly messages?: unknown;
  readonly language_files?: ReadonlyMap<string, string> | undefined;
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
  const files = top.language_files ? readFiles(top, at, context, context.messagesIn('en')) : noFiles;
  if (loading.length === 0 && !(files instanceof Promise)) return makeVoices(top, at, context, words, files);
  return Promise.all(loading).then(async () => makeVoices(top, at, context, words, await files));
}

const noFiles: ReadonlyMap<string, Messages> = new Map();

function makeVoices(
  top: Keys,
  at: Diagnostics,
  context: TopContext,
  words: ReadonlyMap<string, Messages>,
  files: ReadonlyMap<string, Messages>,
) {
  const english = context.messagesIn('en');
  const messages = readOwnMessages(top.messages, at.in('messages'), english);
  const fileTags = [...files.keys()];
  const ownTags = [
    ...[...(top.language_files?.keys() ?? [])].flatMap((key) => canonicalTag(key) ?? []),
    ...(messages?.byLanguage.keys() ?? []),
  ];
  const texts = new Map<string, Messages>();
  for (const [tag, own] of words) {
    const parent = parentAmong(tag, writtenLanguages);
    texts.set(tag, {
      ...english,
      ...own,
      ...(parent !== undefined && parent !== 'en' && context.messagesIn(parent)),
      ...files.get(parentAmong(tag, fileTags) ?? ''),
    });
  }
  const tags = [...words.keys()];
  warnUnused(top.language_files?.keys() ?? [], tags, at.in('language_files'));
  warnUnused(ownKeys(top.messages, messages), tags, at.in('messages'));
  for (const [tag, texts] of messages?.byLanguage ?? [])
    if (parentAmong(tag, [...writtenLanguages, ...fileTags]) === undefined)
      warnMissing(tag, texts, english, at.in('messages', keyOf(top.messages, tag)));
  return {
    /** The relay's words in a language, with those of the owner's file. */
    textsIn: (tag: string): Messages => texts.get(tag) ?? english,
    /** The words of the owner's file for the language or its parent. */
    fileIn: (tag: string): Messages => files.get(parentAmong(tag, fileTags) ?? '') ?? {},
    /** `messages` at the top. */
    messages,
    /** Languages with words of the owner's. */
    ownTags,
  };
}

async function readFiles(
  { language_files: paths = new Map() }: Keys,
  at: Diagnostics,
  { readSibling }: TopContext,
  english: Messages,
): Promise<ReadonlyMap<string, Messages>> {
  const files = new Map<string, Messages>();
  for (const [key, path] of paths) {
    const tag = canonicalTag(key);
    if (tag === undefined) continue;
    const place = at.in('language_files', key);
    const file = await readSibling(path);
    if (!file.ok) {
      place.error(`${path}: ${file.error}`);
      continue;
    }
    const texts = await readYaml(file.value, (value, inFile) => readTexts(value, inFile, english));
    if (!texts) continue;
    if (parentAmong(tag, writtenLanguages) === undefined) warnMissing(tag, texts, english, place);
    files.set(tag, texts);
  }
  return files;
}

/** Of languages that no form has. */
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
