import { type Finding, finding } from '../base/config_finding.ts';
import { err, ok, type Result } from '../base/result.ts';
import { canonicalTag, loadTexts, parentAmong, writtenLanguages } from '../messages/languages.ts';
import { en, type Texts } from '../messages/message.ts';
import { isMap } from '../schema/kinds.ts';
import { namedLanguages } from './form_languages.ts';
import { neededTexts, readTexts, type SomeTexts } from './message_texts.ts';
import { locateIn, type Problem } from './problem.ts';
import { besideName, type ReadBeside } from './source.ts';
import { readDocument } from './yaml/document.ts';

/** What a config says of languages, as far as texts must be read for them. */
export interface NamedLanguages {
  /** All that its forms speak. */
  readonly tags: readonly string[];
  /** The owner's own files: the path of each, by language as written. */
  readonly files: Readonly<Record<string, string>>;
}

/** The texts of all languages that a config names. */
export interface Languages {
  readonly textsIn: (tag: string) => Texts;
  /** Those in the owner's own file for the language, or for one that it is read in place of. */
  readonly ownIn: (tag: string) => SomeTexts;
  /** What the owner's own files lack. */
  readonly warnings: readonly Finding[];
}

/** For configs that name no language. */
export const english: Languages = { textsIn: () => en, ownIn: () => ({}), warnings: [] };

/** Of a config whose keys are fine. */
export function languagesNamedIn(config: unknown): NamedLanguages | undefined {
  if (!isMap(config)) return undefined;
  const forms = isMap(config.forms) ? Object.values(config.forms) : [];
  const tags = new Set(forms.flatMap((form) => namedLanguages(form, config) ?? []));
  const files = isMap(config.language_files) ? (config.language_files as Record<string, string>) : {};
  return tags.size + Object.keys(files).length > 0 ? { tags: [...tags], files } : undefined;
}

/** What keeps a config from loading: findings are about the config itself. */
export interface LanguagesMissing {
  readonly findings: readonly Finding[];
  /** In files of the owner's own. */
  readonly problems: readonly Problem[];
}

/** @param config How problems name the config. */
export async function loadLanguages(
  { tags, files }: NamedLanguages,
  config: string,
  read: ReadBeside,
): Promise<Result<Languages, LanguagesMissing>> {
  const own = await Promise.all(
    Object.entries(files).map(async ([key, path]) => ({
      key,
      path,
      tag: canonicalTag(key) ?? key,
      text: await read(path),
    })),
  );
  const findings: Finding[] = [];
  const problems: Problem[] = [];
  const warnings: Finding[] = [];
  const texts = new Map<string, Texts>();
  const ownTexts = new Map<string, SomeTexts>();
  for (const { key, path, tag, text } of own) {
    const at = ['language_files', key];
    if (!text.ok) {
      findings.push(finding('language_file_unreadable', at, { path, reason: text.error }));
      continue;
    }
    const file = readFile(text.value, besideName(config, path));
    if (!file.ok) {
      problems.push(...file.error);
      continue;
    }
    const parent = parentAmong(tag, writtenLanguages);
    const missing = neededTexts.filter((code) => !Object.hasOwn(file.value, code));
    if (parent === undefined && missing.length > 0) {
      warnings.push(finding('language_incomplete', at, { tag, missing }));
    }
    texts.set(tag, { ...(await loadTexts(parent ?? 'en')), ...file.value });
    ownTexts.set(tag, file.value);
  }
  if (findings.length > 0 || problems.length > 0) return err({ findings, problems });
  const ownTags = [...ownTexts.keys()];
  for (const tag of tags) {
    const found = texts.get(parentAmong(tag, ownTags) ?? '');
    texts.set(tag, found ?? (await loadTexts(parentAmong(tag, writtenLanguages) ?? 'en')));
  }
  return ok({
    textsIn: (tag) => texts.get(tag) ?? en,
    ownIn: (tag) => ownTexts.get(parentAmong(tag, ownTags) ?? '') ?? {},
    warnings,
  });
}

/** A language's own file: a map of texts by code. */
function readFile(text: string, path: string): Result<SomeTexts, readonly Problem[]> {
  const document = readDocument(text);
  if (!document.ok && document.error.finding.code === 'config_empty') return ok({});
  if (!document.ok) return err(locateIn(text, path, document, [document.error.finding]));
  const { texts, findings } = readTexts(document.value.value);
  return findings.length > 0 ? err(locateIn(text, path, document, findings)) : ok(texts);
}
