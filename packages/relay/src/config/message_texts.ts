import * as v from 'valibot';
import { optionalSentences } from '../fields/sentences.ts';
import { canonicalTag } from '../messages/languages.ts';
import { en, type MessageCode, type Text } from '../messages/message.ts';
import type { Schema } from '../schema/any_schema.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import { report } from '../schema/issue.ts';
import { isMap } from '../schema/kinds.ts';
import { nearest } from '../schema/suggestion.ts';
import { removedAt } from './removed.ts';

export type SomeTexts = Readonly<Partial<Record<MessageCode, Text>>>;

/** The texts in `messages`: for all languages, and for single ones, which win. */
export interface OwnMessages {
  readonly everywhere: SomeTexts;
  /** By tag. */
  readonly byLanguage: ReadonlyMap<string, SomeTexts>;
}

/** The key `messages`: texts by code, or by language and code. */
export const messages: Schema<OwnMessages> = v.pipe(
  v.unknown(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const { value } = dataset;
    if (!isMap(value)) {
      addIssue(report(finding('not_a_map', [], { found: value, example: '{submit: Go}' })));
      return NEVER;
    }
    const isCode = (key: string) => Object.hasOwn(en, key);
    const keys = Object.keys(value);
    const languages = keys.filter((key) => !isCode(key) && canonicalTag(key) !== undefined);
    const everywhere = readTexts(without(value, languages));
    const byLanguage = languages.map((key) => [key, readTexts(value[key])] as const);
    const findings = [
      ...everywhere.findings,
      ...byLanguage.flatMap(([key, { findings }]) => under(key, findings)),
    ];
    for (const one of findings) addIssue(report(one));
    return {
      everywhere: everywhere.texts,
      byLanguage: new Map(byLanguage.map(([key, { texts }]) => [canonicalTag(key) ?? key, texts])),
    };
  }),
  v.metadata({ jsonSchema: { title: 'map', type: 'object' } }),
);

const without = (map: Readonly<Record<string, unknown>>, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));

const under = (key: string, findings: readonly Finding[]): readonly Finding[] =>
  findings.map((one) => ({ ...one, path: [key, ...one.path] }));

/** Reads texts of a config or a language file: by code, each a text or a map of plural forms. */
export function readTexts(written: unknown): {
  readonly texts: SomeTexts;
  readonly findings: readonly Finding[];
} {
  if (!isMap(written))
    return { texts: {}, findings: [finding('not_a_map', [], { found: written, example: '{submit: Go}' })] };
  const texts: Partial<Record<MessageCode, Text>> = {};
  const findings: Finding[] = [];
  for (const [key, value] of Object.entries(written)) {
    if (!Object.hasOwn(en, key)) {
      const removed = removedAt(['messages', key]);
      const found = removed
        ? finding('key_removed', [key], removed)
        : finding('message_unknown', [key], { near: nearest(key, codes) });
      findings.push({ ...found, aboutKey: true });
      continue;
    }
    const code = key as MessageCode;
    const problems = problemsOf(code, value);
    findings.push(...problems.map((one) => ({ ...one, path: [key, ...one.path] })));
    if (problems.length === 0) texts[code] = textOf(code, value as string | Record<string, string>);
  }
  return { texts, findings };
}

const codes = Object.keys(en);

/** The codes that a complete language has. */
export const neededTexts = codes.filter((code) => !optionalSentences.has(code));

const pluralForms: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other'];

function problemsOf(code: MessageCode, value: unknown): readonly Finding[] {
  if (typeof value === 'string') return parameterProblems(code, value, []);
  if (!isMap(value)) return [finding('not_a_message', [], { found: value })];
  const known = parametersOf(code);
  const { count, ...forms } = value;
  const missing = forms.other === undefined ? [finding('key_missing', [], { key: 'other' })] : [];
  const wrong = Object.entries(forms).flatMap(([form, text]) => {
    if (!pluralForms.includes(form)) {
      const near = nearest(form, pluralForms);
      return [{ ...finding('key_unknown', [form], { known: pluralForms, near }), aboutKey: true }];
    }
    return typeof text === 'string'
      ? parameterProblems(code, text, [form])
      : [finding('not_text', [form], { found: text })];
  });
  return [...missing, ...countProblems(code, count, known), ...wrong];
}

function countProblems(code: MessageCode, count: unknown, known: readonly string[]): readonly Finding[] {
  if (count === undefined)
    return countOf(code) === undefined ? [finding('message_without_count', [], { known })] : [];
  if (typeof count !== 'string') return [finding('not_text', ['count'], { found: count })];
  return known.includes(count)
    ? []
    : [finding('message_parameter_unknown', ['count'], { name: count, known })];
}

function parameterProblems(code: MessageCode, text: string, path: Path): readonly Finding[] {
  const name = vital[code];
  return name === undefined || text.includes(`{${name}}`)
    ? unknownParameters(code, text, path)
    : [finding('message_parameter_missing', path, { name }), ...unknownParameters(code, text, path)];
}

/** Parameters without which a visitor cannot continue. Owners may omit all others. */
const vital: Partial<Record<MessageCode, string>> = { challenge_question: 'number', receipt: 'code' };

/** Parameters that the relay does not supply, so that they would render empty. */
function unknownParameters(code: MessageCode, text: string, path: Path): readonly Finding[] {
  const known = parametersOf(code);
  return [...text.matchAll(/\{(\w+)\}/g)]
    .filter(([, name = '']) => !known.includes(name))
    .map(({ 0: { length }, 1: name = '', index: offset }) => ({
      ...finding('message_parameter_unknown', path, { name, known, near: nearest(name, known) }),
      within: { of: text, offset, length },
    }));
}

/** The parameters of the English text; every language may use them. */
function parametersOf(code: MessageCode): readonly string[] {
  const text: Text = en[code];
  const words = typeof text === 'string' ? text : Object.values(text).join(' ');
  return [...new Set([...words.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))];
}

/** The parameter that selects the plural form, if there is only one. */
function countOf(code: MessageCode): string | undefined {
  const known = parametersOf(code);
  return known.length === 1 ? known[0] : undefined;
}

function textOf(code: MessageCode, value: string | Readonly<Record<string, string>>): Text {
  if (typeof value === 'string') return value;
  const { count = countOf(code) ?? '', other = '', ...forms } = value;
  return { count, other, ...forms };
}
