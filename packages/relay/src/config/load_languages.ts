import { err, ok, type Result } from '../base/result.ts';
import { canonicalTag, loadTexts, parentAmong, writtenLanguages } from '../messages/languages.ts';
import { en, type Texts } from '../messages/message.ts';
import { type Finding, finding } from '../schema/finding.ts';
import type { Languages, NamedLanguages } from './languages.ts';
import { neededTexts, readTexts, type SomeTexts } from './message_texts.ts';
import type { Problem } from './problem.ts';
import { besideName, type ReadBeside } from './source.ts';
import { readDocument } from './yaml/document.ts';

/** The reasons why a config cannot load. `findings` are about the config itself. */
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
    const file = await readFile(text.value, besideName(config, path));
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
async function readFile(text: string, path: string): Promise<Result<SomeTexts, readonly Problem[]>> {
  const document = readDocument(text);
  if (!document.ok) {
    const why = document.error;
    if ('finding' in why && why.finding.code === 'config_empty') return ok({});
    return err((await import('./locate.ts')).locateMisread(text, path, why));
  }
  const { texts, findings } = readTexts(document.value.value);
  if (findings.length === 0) return ok(texts);
  return err((await import('./locate.ts')).locateIn(text, path, document.value, findings));
}
