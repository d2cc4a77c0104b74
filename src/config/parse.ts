import * as v from 'valibot';
import type { Finding } from '../config_finding.ts';
import type { Form } from '../form.ts';
import { err, ok, type Result } from '../result.ts';
import { findingOf } from '../schema/issue.ts';
import { isMap } from '../schema/kinds.ts';
import { buildForm, type Shared } from './build_form.ts';
import { crossChecks } from './cross_checks.ts';
import { curlyQuotesKept } from './curly_quotes.ts';
import { firstCauses, notFollowing } from './first_causes.ts';
import { locate, type Problem } from './problem.ts';
import { configSchema, formSchema, type ParsedConfig } from './schema.ts';
import { unknownKeys } from './unknown_keys.ts';
import { warningsOf } from './warnings.ts';
import { warningsBesideErrors } from './warnings_beside_errors.ts';
import { type Document, readDocument } from './yaml/document.ts';
import type { Misread } from './yaml/misread.ts';

/** A config that loaded. */
export interface Config {
  readonly cacheTtlMs: number;
  readonly forms: ReadonlyMap<string, Form>;
  /** What its owner should know though it loads; found only when asked for, since finding places takes time. */
  warnings(): readonly Problem[];
}

export type ParseResult = Result<Config, readonly Problem[]>;

/** Reads and checks a config; reports all its problems at once, each with its place (D9). Never throws. */
export const parseConfig = (text: string, file: string): ParseResult =>
  made(checkConfig(text, file), text, file);

/** As `parseConfig`, for those who are shown all of it: beside the errors stand the warnings. */
export const inspectConfig = (text: string, file: string): ParseResult =>
  made(checkConfig(text, file, besideErrors), text, file);

function made(checked: Result<Checked, readonly Problem[]>, text: string, file: string): ParseResult {
  if (!checked.ok) return checked;
  const { cache_ttl: cacheTtlMs, forms, ...shared } = checked.value.parsed;
  const built = new Map([...forms].map(([id, form]) => [id, buildForm(id, form, shared)]));
  return ok(makeConfig(text, file, cacheTtlMs, built));
}

/** A config without problems: what its schema made of it, and its forms as written. */
interface Checked {
  readonly parsed: ParsedConfig;
  readonly rawForms: Readonly<Record<string, unknown>>;
}

/** All of `parseConfig` that can fail. `beside` finds what else to tell when it does. */
export function checkConfig(
  text: string,
  file: string,
  beside: typeof besideErrors = () => [],
): Result<Checked, readonly Problem[]> {
  const yaml = withoutMark(text);
  const document = readDocument(yaml);
  if (!document.ok) return err(located(yaml, file, document, [document.error.finding]));
  const { value } = document.value;
  const parsed = v.safeParse(configSchema, value);
  const forms = rawForms(value);
  const found = [
    ...(parsed.issues ?? []).map(findingOf),
    ...unknownKeys(configSchema, value),
    ...Object.entries(forms).flatMap(([id, form]) => crossChecks(id, form)),
  ];
  if (!parsed.success || found.length > 0) {
    const errors = firstCauses(found, value);
    return err(located(yaml, file, document, [...errors, ...beside(document.value, errors)]));
  }
  return ok({ parsed: parsed.output, rawForms: forms });
}

/** A form of a config that `checkConfig` found fine, from what is written. */
export const makeForm = (id: string, raw: unknown, shared: Shared): Form =>
  buildForm(id, v.parse(formSchema, raw), shared);

export const makeConfig = (
  text: string,
  file: string,
  cacheTtlMs: number,
  forms: Config['forms'],
): Config => ({ cacheTtlMs, forms, warnings: () => warn(withoutMark(text), file, forms) });

/** Some editors start a file with a byte-order mark; it is no part of the YAML. */
const withoutMark = (text: string) => text.replace(/^\uFEFF/, '');

/** Reads the text once more, so that a config in use does not hold on to the places of everything in it. */
function warn(yaml: string, file: string, forms: Config['forms']): readonly Problem[] {
  const document = readDocument(yaml);
  const findings = [...forms.values()].flatMap(warningsOf);
  return located(yaml, file, document, [...findings, ...(document.ok ? quotesIn(document.value) : [])]);
}

const quotesIn = ({ value, places }: Document) => curlyQuotesKept(value, (at) => places.isPlain(at));

const besideErrors = (document: Document, errors: readonly Finding[]): readonly Finding[] =>
  notFollowing(errors, [
    ...Object.entries(rawForms(document.value)).flatMap(([id, form]) => warningsBesideErrors(id, form)),
    ...quotesIn(document),
  ]);

// Its own function: a closure in `parseConfig` would keep the document in memory as long as the config.
const located = (
  yaml: string,
  file: string,
  document: Result<Document, Misread>,
  findings: readonly Finding[],
) =>
  locate(yaml, file, findings, (one) => (document.ok ? document.value.places.of(one) : document.error.place));

const rawForms = (value: unknown): Record<string, unknown> =>
  isMap(value) && isMap(value.forms) ? value.forms : {};
