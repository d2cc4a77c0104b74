/** `parseConfig` without waiting, with all bundled plug-ins. */

import { err, ok } from '../../packages/base/src/result.ts';
import {
  check,
  knownTo,
  type ParseResult,
  type PluginSources,
  parseConfig as parse,
  registryFor,
} from '../../packages/config/src/parse.ts';
import { findWarnings } from '../../packages/config/src/warnings.ts';
import type { Config } from '../../packages/core/src/config.ts';
import { corePlugin } from '../../packages/core/src/core_plugin.ts';
import { loadWords, writtenLanguages } from '../../packages/languages/src/words.ts';
import { always, bundled } from '../../packages/runtimes/src/bundled.ts';
import { openNode } from '../../packages/runtimes/src/services.ts';
import type { Diagnostic } from '../../packages/schema/src/diagnostics.ts';
import { explain, explainMisread, locateIn } from '../../packages/yaml/src/advice/explain.ts';
import { readDocument } from '../../packages/yaml/src/document.ts';
import type { Problem } from '../../packages/yaml/src/problem.ts';
import type { ReadText } from '../../packages/yaml/src/siblings.ts';

const plugins = [corePlugin, ...always, ...(await Promise.all(bundled.map(({ load }) => load())))];
// Languages that were loaded are known without waiting.
await Promise.all(writtenLanguages.map(loadWords));
const services = { ...openNode({ now: Date.now, env: () => undefined }).services, log: () => {} };
const noSiblings = async () => err('no file is beside it');
const emptySiblings = async () => ok('');
const warnings = new WeakMap<Config, readonly Diagnostic[]>();

export function parseConfig(text: string, file: string): ParseResult {
  const read = readDocument(text);
  if (!read.ok) return err(explainMisread(text, file, read.error));
  const document = read.value;
  const context = { services, mailFromAddress: undefined };
  const checked = check(document.value, plugins, context, { file, readText: noSiblings });
  if (checked instanceof Promise) throw new Error('this config names files');
  const { report, value } = checked;
  if (!value || report.errors.length > 0)
    return err(
      explain(text, file, document, report.errors, knownTo(value?.registry ?? registryFor(plugins))),
    );
  const config = { ...value, warnings: async () => warningsIn(config, text, file) };
  warnings.set(config, report.warnings);
  return ok(config);
}

export function warningsIn(config: Config, text: string, file: string): readonly Problem[] {
  const read = readDocument(text);
  if (!read.ok) return [];
  const found = findWarnings(
    text,
    read.value,
    [...config.forms].map(([id, form]) => ({ form, path: ['forms', id] })),
    config.registry,
    bundled,
  );
  return locateIn(text, file, 'warning', read.value, [...(warnings.get(config) ?? []), ...found]);
}

/** Without those of names for examples, which samples hold until their owners write their own. */
export const exceptExamples = (problems: readonly Problem[]) =>
  problems.filter(({ code }) => code !== 'output_address_reserved');

/** A config that may name files. */
export async function parseWithFiles(
  text: string,
  file: string,
  readText: ReadText,
  checkPlatform?: PluginSources['checkPlatform'],
): Promise<ParseResult> {
  const context = { services, mailFromAddress: undefined };
  const sources = { bundled, plugins: { named: [], folder: '.' }, checkPlatform };
  return parse(text, file, [corePlugin, ...always], context, sources, readText);
}

/** What is wrong with a config, or probably not meant, and whether it loads. */
export async function inspect(
  text: string,
  file: string,
  checkPlatform?: PluginSources['checkPlatform'],
): Promise<{ readonly isOk: boolean; readonly problems: readonly Problem[] }> {
  const parsed = await parseWithFiles(text, file, emptySiblings, checkPlatform);
  return parsed.ok
    ? { isOk: true, problems: await parsed.value.warnings() }
    : { isOk: false, problems: parsed.error };
}

export const inspectInLanguages = async (text: string, file: string) => parseConfig(text, file);
