import * as v from 'valibot';
import type { Finding } from '../base/config_finding.ts';
import type { Keep } from '../base/kept.ts';
import type { Path } from '../base/place.ts';
import { err, ok, type Result } from '../base/result.ts';
import { signalProblems, signalWarnings } from '../features/doubt/late_keys.ts';
import { findingOf } from '../schema/issue.ts';
import { isMap } from '../schema/kinds.ts';
import { type Lists, noLists } from '../schema/lists/list.ts';
import { type Alerts, alertProblems, alertsOf, alertWarnings } from './alerts.ts';
import { asideProblems, asideWarnings } from './aside.ts';
import { buildForm, type Common, createCommon, type ParsedForms } from './build_form.ts';
import { yamlOf } from './built/built_text.ts';
import { crossChecks, mailProblems } from './cross_checks.ts';
import { curlyQuotesKept } from './curly_quotes.ts';
import { firstCauses, notFollowing } from './first_causes.ts';
import {
  formsInLanguages,
  inForm,
  languageProblems,
  orTextsByLanguage,
  rawForms,
  type WrittenForm,
} from './form_languages.ts';
import type { Forms } from './forms.ts';
import { originFindingsAtTop } from './guard_checks.ts';
import { placeAsWritten } from './in_language.ts';
import { keepWarnings } from './keep.ts';
import { keepProblems } from './keep_problems.ts';
import { languageWarnings } from './language_warnings.ts';
import {
  english,
  type Languages,
  languagesNamedIn,
  loadLanguages,
  type NamedLanguages,
} from './languages.ts';
import { loadAllParts, loadNamedIn } from './late_parts.ts';
import { listsNamedIn, loadLists } from './lists.ts';
import type { NamedList } from './load_lists.ts';
import { locateIn, type Problem } from './problem.ts';
import {
  configSchema,
  formSchema,
  type ParsedConfig,
  type ParsedForm,
  type ParsedTop,
  topSchema,
} from './schema.ts';
import type { ReadBeside } from './source.ts';
import { unknownKeys } from './unknown_keys.ts';
import { warningsOf } from './warnings.ts';
import { warningsBesideErrors } from './warnings_beside_errors.ts';
import { type Document, readDocument } from './yaml/document.ts';
import { typeBodies } from './yaml/typed_bodies.ts';

/** A config that loaded. */
export interface Config {
  readonly cacheTtlMs: number;
  readonly forms: Forms;
  /** Where what outputs owe is kept, and who is told of it. */
  readonly keep: Keep | undefined;
  readonly alerts: Alerts | undefined;
  readonly heartbeat: ParsedTop['heartbeat'];
  /** What its owner should know though it loads; found only when asked for, since finding places takes time. */
  warnings(): readonly Problem[];
}

export type ParseResult = Result<Config, readonly Problem[]>;

/** Reads and checks a config, with the languages that it names; reports all its problems at once (D9). Never throws. */
export async function parseInLanguages(text: string, file: string, read: ReadBeside): Promise<ParseResult> {
  await loadNamedIn(text);
  return inLanguages(checkConfig(text, file), text, file, read);
}

/**
 * The same, for those who are shown all of it: beside the errors stand the warnings. `load` reads the parts of which mistakes
 * may remind. Default: all.
 */
export async function inspectInLanguages(
  text: string,
  file: string,
  read: ReadBeside,
  load: (text: string) => Promise<void> = loadAllParts,
): Promise<ParseResult> {
  await load(text);
  return inLanguages(checkConfig(text, file, besideErrors), text, file, read);
}

async function inLanguages(
  checked: Result<Checked, readonly Problem[]>,
  text: string,
  file: string,
  read: ReadBeside,
): Promise<ParseResult> {
  if (!checked.ok) return checked;
  const beside = await readNamed(checked.value, text, file, read);
  return beside.ok ? ok(build(text, file, checked.value, beside.value)) : beside;
}

/** As `parseInLanguages`, with English in place of other languages' words, and what was read of late parts by now. */
export const parseConfig = (text: string, file: string): ParseResult =>
  inEnglish(checkConfig(text, file), text, file);

/** As `inspectInLanguages`, with English in place of other languages' words. */
export const inspectConfig = (text: string, file: string): ParseResult =>
  inEnglish(checkConfig(text, file, besideErrors), text, file);

const inEnglish = (checked: Result<Checked, readonly Problem[]>, text: string, file: string): ParseResult =>
  checked.ok ? ok(build(text, file, checked.value, nothingBeside)) : checked;

function build(text: string, file: string, { parsed, forms }: Checked, beside: Beside): Config {
  const common = createCommon(parsed, beside.languages, beside.lists);
  const built = new Map([...forms].map(([id, form]) => [id, buildForm(id, form, common)]));
  return makeConfig(text, file, parsed, built, beside);
}

/** A config without problems: as it is written, and what its schema made of it. */
interface Checked {
  readonly value: unknown;
  readonly parsed: ParsedConfig;
  readonly forms: ReadonlyMap<string, ParsedForms>;
  readonly named: Named;
}

/** What a config names that stands in files of its own, or of the relay. */
export interface Named {
  /** `undefined` when it names no language, as most. */
  readonly languages: NamedLanguages | undefined;
  readonly lists: readonly NamedList[];
}

/** The same, once it was read. */
export interface Beside {
  readonly languages: Languages;
  readonly lists: Lists;
  readonly warnings: readonly Finding[];
}

const nothingBeside: Beside = { languages: english, lists: noLists, warnings: [] };

/** All of `parseConfig` that can fail. What it may name must have been read before (late_parts.ts). `beside` finds what else to tell when it does. */
export function checkConfig(
  text: string,
  file: string,
  beside: typeof besideErrors = () => [],
): Result<Checked, readonly Problem[]> {
  const yaml = yamlOf(text);
  const document = readDocument(yaml);
  if (!document.ok) return err(locateIn(yaml, file, document, [document.error.finding]));
  const { value } = document.value;
  if (text.includes('body')) typeBodies(value, document.value.places);
  const written = formsInLanguages(value);
  const first = inFirstLanguages(value, written);
  const parsed = v.safeParse(configSchema, first);
  const found = [
    ...[
      ...(parsed.issues ?? []).map(findingOf),
      ...unknownKeys(configSchema, first),
      ...Object.entries(rawForms(first)).flatMap(([id, form]) => crossChecks(id, form, first)),
    ].map((one) => asWritten(one, written)),
    ...signalProblems(value, parsed.success ? parsed.output : undefined),
    ...keepProblems(value),
    ...asideProblems(value),
    ...originFindingsAtTop(value),
    ...alertProblems(value),
    ...languageProblems(value, value),
    ...Object.entries(rawForms(value)).flatMap(([id, form]) => inForm(id, languageProblems(form, value))),
    ...[...written].flatMap(([id, form]) => inForm(id, form.first.errors)),
  ];
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
      // What does not depend on the language was found in the first one already.
      found.push(...inForm(id, more).filter((issue) => !found.some((known) => isSame(known, issue))));
    }
    for (const { one } of inOthers) {
      // Which fields its words name may depend on the language.
      const more = mailProblems(id, one.written).map((problem) =>
        at(problem, placeAsWritten(problem.path, one)),
      );
      found.push(...inForm(id, more).filter((issue) => !found.some((known) => isSame(known, issue))));
    }
    others.set(id, new Map(inOthers.flatMap(({ tag, read }) => (read.success ? [[tag, read.output]] : []))));
  }
  if (!parsed.success || found.length > 0) {
    const errors = firstCauses(found, value).map(orTextsByLanguage);
    return err(locateIn(yaml, file, document, [...errors, ...beside(document.value, errors)]));
  }
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
    named: { languages: languagesNamedIn(value), lists: listsNamedIn(parsed.output) },
  });
}

const noLanguages = { languages: [], others: new Map<string, never>() };

/** The config as its schema knows it: in one language. */
function inFirstLanguages(config: unknown, written: ReadonlyMap<string, WrittenForm>): unknown {
  if (written.size === 0 || !isMap(config)) return config;
  const forms = Object.entries(rawForms(config)).map(([id, form]) => {
    const inLanguages = written.get(id);
    return [id, inLanguages ? inLanguages.first.written : form];
  });
  return { ...config, forms: Object.fromEntries(forms) };
}

const at = (found: Finding, path: Path): Finding => ({ ...found, path });

function asWritten(found: Finding, written: ReadonlyMap<string, WrittenForm>): Finding {
  const [top, id = '', ...path] = found.path;
  const form = top === 'forms' ? written.get(String(id)) : undefined;
  return form ? at(found, ['forms', id, ...placeAsWritten(path, form.first)]) : found;
}

const isSame = (one: Finding, other: Finding) =>
  one.code === other.code && JSON.stringify(one.path) === JSON.stringify(other.path);

/** The keys of such a config beside `forms`. */
export const makeTop = (config: unknown): ParsedTop => v.parse(topSchema, config);

/** What its forms have in common. */
export const makeCommon = (top: ParsedTop, { languages, lists }: Beside): Common =>
  createCommon(top, languages, lists);

/** The languages and lists that a config names; or what keeps it from loading, all of it. */
export async function readNamed(
  { named }: Pick<Checked, 'named'>,
  text: string,
  file: string,
  read: ReadBeside,
): Promise<Result<Beside, readonly Problem[]>> {
  const languages = named.languages ? await loadLanguages(named.languages, file, read) : ok(english);
  const { lists, ...found } = await loadLists(named.lists, file, read);
  const unspoken = languages.ok ? { findings: [], problems: [] } : languages.error;
  const findings = [...unspoken.findings, ...found.findings];
  const problems = [...unspoken.problems, ...found.problems];
  if (languages.ok && findings.length + problems.length === 0)
    return ok({ languages: languages.value, lists, warnings: found.warnings });
  const yaml = yamlOf(text);
  return err([...locateIn(yaml, file, readDocument(yaml), findings), ...problems]);
}

export const makeConfig = (
  text: string,
  file: string,
  { cache_ttl, keep, alerts, heartbeat }: Omit<ParsedTop, 'forms'>,
  forms: Config['forms'],
  beside: Beside,
): Config => {
  const config = { cacheTtlMs: cache_ttl, forms, keep, alerts: alertsOf(alerts), heartbeat };
  return { ...config, warnings: () => warn(yamlOf(text), file, config, beside) };
};

/** Reads the text once more, so that a config in use does not hold on to the places of everything in it. */
function warn(
  yaml: string,
  file: string,
  { forms, keep, alerts }: Pick<Config, 'forms' | 'keep' | 'alerts'>,
  { languages, warnings }: Beside,
): readonly Problem[] {
  const document = readDocument(yaml);
  return locateIn(yaml, file, document, [
    ...[...forms.values()].flatMap(warningsOf),
    ...[...forms.values()].flatMap(asideWarnings),
    ...warnings,
    ...keepWarnings(keep, [...forms.values()]),
    ...alertWarnings(alerts, forms.values()),
    ...(document.ok ? quotesIn(document.value) : []),
    ...(document.ok ? languageWarnings(document.value.value, forms, languages) : []),
    ...(document.ok ? signalWarnings(document.value.value) : []),
  ]);
}

const quotesIn = ({ value, places }: Document) => curlyQuotesKept(value, (at) => places.isPlain(at));

function besideErrors(document: Document, errors: readonly Finding[]): readonly Finding[] {
  const written = formsInLanguages(document.value);
  const forms = rawForms(inFirstLanguages(document.value, written));
  const warnings = Object.entries(forms).flatMap(([id, form]) => warningsBesideErrors(id, form));
  return notFollowing(errors, [...warnings.map((one) => asWritten(one, written)), ...quotesIn(document)]);
}
