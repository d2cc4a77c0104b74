import * as v from 'valibot';
import type { Bounces } from '../base/bounces.ts';
import type { JournalKey } from '../base/journal_line.ts';
import type { Keep } from '../base/kept.ts';
import { err, ok, type Result } from '../base/result.ts';
import { bouncesIn } from '../features/bounces/bounces.ts';
import { type RawMap, writtenForm } from '../features/feature.ts';
import { featureProblems, problemsAtTop } from '../features/index.ts';
import type { Form } from '../form.ts';
import type { Finding } from '../schema/finding.ts';
import { findingOf } from '../schema/issue.ts';
import { isMap } from '../schema/kinds.ts';
import type { Lists } from '../schema/lists/list.ts';
import type { Alerts } from './alerts_form.ts';
import { buildForm, createCommon, type ParsedForms } from './build_form.ts';
import { crossChecks } from './cross_checks.ts';
import type { Rejected } from './describe_problems.ts';
import { fontsNamedIn, type NamedFonts } from './fonts.ts';
import {
  asWritten,
  at,
  formsInLanguages,
  inFirstLanguages,
  inForm,
  languageProblems,
  rawForms,
} from './form_languages.ts';
import { placeAsWritten } from './in_language.ts';
import { english, type Languages, languagesNamedIn, type NamedLanguages } from './languages.ts';
import { alertParts, loadAllParts, loadNamedIn } from './late_parts.ts';
import { listsNamedIn, loadLists } from './lists.ts';
import type { NamedList } from './load_lists.ts';
import type { Problem } from './problem.ts';
import { configSchema, formSchema, type ParsedConfig, type ParsedForm, type ParsedTop } from './schema.ts';
import type { ReadBeside } from './source.ts';
import { strayKeys } from './stray_keys.ts';
import { readDocument } from './yaml/document.ts';
import { typeBodies } from './yaml/typed_bodies.ts';

export interface Config {
  readonly cacheTtlMs: number;
  readonly forms: ReadonlyMap<string, Form>;
  /** Keys for all forms: the store of kept deliveries, and alerts. */
  readonly keep: Keep | undefined;
  readonly alerts: Alerts | undefined;
  readonly heartbeat: ParsedTop['heartbeat'];
  /** Read by the inbox alone. */
  readonly inbox: ParsedTop['inbox'];
  readonly journal: JournalKey | undefined;
  /** How long archives keep the submissions of all forms. */
  readonly archive: ParsedTop['archive'];
  readonly countedIn: ParsedTop['counted_in'];
  readonly bounces: Bounces | undefined;
  /**
   * Warnings for the owner. Computed on demand, because finding their places takes time.
   *
   * @param namesProxies Whether TRUSTED_PROXIES is set where the config runs, as far as the caller knows.
   */
  warnings(now?: number, namesProxies?: boolean): Promise<readonly Problem[]>;
}

export type ParseResult = Result<Config, readonly Problem[]>;

/** Finds what a config asks for and a platform cannot do. */
export type Lacking = (config: RawMap) => readonly Finding[];

/**
 * Parses and checks a config and loads the languages that it names; reports all problems at once. Never throws.
 *
 * @param load Loads the parts that suggestions may name. Default: those that the config names.
 */
export async function parseInLanguages(
  text: string,
  file: string,
  read: ReadBeside,
  lacking?: Lacking,
  load: (text: string) => Promise<void> = loadNamedIn,
): Promise<ParseResult> {
  await load(text);
  const checked = checkConfig(text, file, lacking);
  return checked.ok ? inLanguages(checked.value, text, file, read) : err(await explain(checked.error));
}

/** Like `parseInLanguages`, with suggestions of all parts. */
export const inspectInLanguages = (text: string, file: string, read: ReadBeside, lacking?: Lacking) =>
  parseInLanguages(text, file, read, lacking, loadAllParts);

/** Like `parseInLanguages`, but reads no list or model, so that a damaged one is no problem. Signals that need one say nothing. */
export async function parseWithoutLists(text: string, file: string, read: ReadBeside): Promise<ParseResult> {
  await loadNamedIn(text);
  const checked = checkConfig(text, file);
  if (!checked.ok) return err(await explain(checked.error));
  const named = { ...checked.value.named, lists: [] };
  return inLanguages({ ...checked.value, named }, text, file, read);
}

/** Why a config does not load, in words. */
export async function explain(rejected: Rejected): Promise<readonly Problem[]> {
  if ('why' in rejected) {
    const { yaml, file, why } = rejected;
    return (await import('./locate.ts')).locateMisread(yaml, file, why);
  }
  return (await import('./describe_problems.ts')).explain(rejected);
}

async function inLanguages(
  checked: Checked,
  text: string,
  file: string,
  read: ReadBeside,
): Promise<ParseResult> {
  const beside = await readNamed(checked, text, file, read);
  return beside.ok ? ok(build(text, file, checked, beside.value)) : beside;
}

export function build(text: string, file: string, { parsed, forms }: Checked, beside: Beside): Config {
  const common = createCommon(parsed, beside.languages, beside.lists);
  const built = new Map([...forms].map(([id, form]) => [id, buildForm(id, form, common)]));
  return makeConfig(text, file, parsed, built, beside);
}

/** A valid config, as written and as parsed. */
interface Checked {
  readonly value: unknown;
  readonly parsed: ParsedConfig;
  readonly forms: ReadonlyMap<string, ParsedForms>;
  readonly named: Named;
}

/** The language, list and font files that a config names. */
interface Named {
  /** `undefined` if it names no language. */
  readonly languages: NamedLanguages | undefined;
  readonly lists: readonly NamedList[];
  /** `undefined`: no output asks for a PDF. */
  readonly fonts?: NamedFonts | undefined;
}

/** The loaded files. */
interface Beside {
  readonly languages: Languages;
  readonly lists: Lists;
  readonly warnings: readonly Finding[];
}

/** All checks of `parseInLanguages`. Load the parts that the text may name before (late_parts.ts). */
export function checkConfig(yaml: string, file: string, lacking?: Lacking): Result<Checked, Rejected> {
  const read = readDocument(yaml);
  if (!read.ok) return err({ yaml, file, why: read.error });
  const document = read.value;
  const { value } = document;
  if (yaml.includes('body')) typeBodies(value, document.places);
  const written = formsInLanguages(value);
  const first = inFirstLanguages(value, written);
  const parsed = v.safeParse(configSchema, first);
  const misfits = (parsed.issues ?? []).map((issue) => asWritten(findingOf(issue), written));
  const strays = strayKeys(configSchema, first);
  const found = [
    ...Object.entries(rawForms(first))
      .flatMap(([id, form]) => crossChecks(id, form, first))
      .map((one) => asWritten(one, written)),
    ...(isMap(value) ? problemsAtTop(value, parsed.success ? parsed.output : undefined) : []),
    ...(alertParts.value?.alertProblems(value) ?? []),
    ...(lacking && isMap(value) ? lacking(value) : []),
    ...languageProblems(value, value),
    ...Object.entries(rawForms(value)).flatMap(([id, form]) => inForm(id, languageProblems(form, value))),
    ...[...written].flatMap(([id, form]) => inForm(id, form.first.errors)),
  ];
  const tellOnce = (more: readonly Finding[]) =>
    found.push(...more.filter((one) => ![...misfits, ...found].some((known) => isSame(known, one))));
  const others = new Map<string, ReadonlyMap<string, ParsedForm>>();
  for (const [id, form] of written) {
    const inOthers = [...form.others].map(([tag, one]) => ({
      tag,
      one,
      read: v.safeParse(formSchema, one.written),
    }));
    for (const { one, read } of inOthers) {
      const more = (read.issues ?? [])
        .map(findingOf)
        .map((issue) => at(issue, placeAsWritten(issue.path, one)));
      // Problems independent of the language were already found in the first one.
      tellOnce(inForm(id, more));
    }
    for (const { one } of inOthers) {
      // The fields that a text names may depend on the language.
      const problems = isMap(one.written) ? featureProblems(writtenForm(id, one.written, first)) : [];
      tellOnce(
        inForm(
          id,
          problems.map((problem) => at(problem, placeAsWritten(problem.path, one))),
        ),
      );
    }
    others.set(id, new Map(inOthers.flatMap(({ tag, read }) => (read.success ? [[tag, read.output]] : []))));
  }
  if (!parsed.success || found.length + strays.length > 0)
    return err({ yaml, file, document, first, written, misfits, strays, found });
  const forms = new Map(
    [...parsed.output.forms].map(([id, form]) => {
      const { languages } = written.get(id) ?? noLanguages;
      return [id, { languages, first: form, others: others.get(id) ?? noLanguages.others }];
    }),
  );
  return ok({
    value,
    parsed: parsed.output,
    forms,
    named: {
      languages: languagesNamedIn(value),
      lists: listsNamedIn(parsed.output),
      fonts: fontsNamedIn(parsed.output, forms),
    },
  });
}

const noLanguages = { languages: [], others: new Map<string, never>() };

const isSame = (one: Finding, other: Finding) =>
  one.code === other.code && JSON.stringify(one.path) === JSON.stringify(other.path);

/** Loads the languages and lists that a config names; otherwise returns all its problems. */
async function readNamed(
  { named }: Pick<Checked, 'named'>,
  text: string,
  file: string,
  read: ReadBeside,
): Promise<Result<Beside, readonly Problem[]>> {
  const languages = named.languages
    ? await (await import('./load_languages.ts')).loadLanguages(named.languages, file, read)
    : ok(english);
  const { lists, ...found } = await loadLists(named.lists, file, read);
  const unspoken = languages.ok ? { findings: [], problems: [] } : languages.error;
  const unset =
    named.fonts && languages.ok
      ? await (await import('./load_fonts.ts')).loadFonts(named.fonts, languages.value)
      : [];
  const findings = [...unspoken.findings, ...found.findings, ...unset];
  const problems = [...unspoken.problems, ...found.problems];
  if (languages.ok && findings.length + problems.length === 0)
    return ok({ languages: languages.value, lists, warnings: found.warnings });
  const document = readDocument(text);
  const { locateIn } = await import('./locate.ts');
  return err([...(document.ok ? locateIn(text, file, document.value, findings) : []), ...problems]);
}

const makeConfig = (
  text: string,
  file: string,
  {
    cache_ttl,
    keep,
    alerts,
    heartbeat,
    inbox,
    journal,
    archive,
    counted_in: countedIn,
    bounces,
  }: Omit<ParsedTop, 'forms'>,
  forms: Config['forms'],
  beside: Beside,
): Config => {
  const config = {
    cacheTtlMs: cache_ttl,
    forms,
    keep,
    alerts: alerts && alertParts.loaded.alertsOf(alerts, { bounces }),
    heartbeat,
    inbox,
    journal,
    archive,
    countedIn,
    bounces: bouncesIn({ bounces, keep, counted_in: countedIn }),
  };
  // Reads the text once more, so that a config in use does not hold on to the places of everything in it.
  const warnings = async (now?: number, namesProxies = true) =>
    (await import('./find_warnings.ts')).findWarnings(text, file, config, beside, now, namesProxies);
  return { ...config, warnings };
};
