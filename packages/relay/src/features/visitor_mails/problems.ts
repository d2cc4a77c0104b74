import type { VisitorMailKey } from '../../base/event.ts';
import { fieldTypeOf } from '../../fields/index.ts';
import { type Finding, finding, type Path } from '../../schema/finding.ts';
import { isMap, isWrittenTrue } from '../../schema/kinds.ts';
import { mostCandidates, nearest } from '../../schema/suggestion.ts';
import { parseTemplate } from '../../schema/template/parse.ts';
import { mailTypes } from './carrier.ts';
import { linkProblems } from './link_room.ts';

type RawMap = Readonly<Record<string, unknown>>;

const keys: readonly VisitorMailKey[] = ['confirmation_mail', 'double_opt_in', 'resume'];

/** Mistakes between the mails to visitors and other keys of a form as it is written. */
export const problemsOf = (id: string, form: RawForm): readonly Finding[] => [
  ...keys.flatMap((key) => {
    const mail = key === 'resume' && isWrittenTrue(form[key]) ? nothing : form[key];
    if (!isMap(mail)) return [];
    const fields = mapsIn(form.fields);
    const problems = [
      ...(key === 'resume' && mail.to === undefined ? onlyAddress(fields) : addressField(mail, fields)),
      ...['subject', 'text', 'footer'].flatMap((word) => strangersWords(mail[word], [word], fields)),
      ...carrierProblems(mail, mapsIn(form.outputs)),
      ...(key === 'confirmation_mail' ? copyProblems(mail, form.double_opt_in, fields) : []),
    ];
    return problems.map((problem) => ({ ...problem, path: [key, ...problem.path] }));
  }),
  ...(isMap(form.double_opt_in) ? linkProblems(id, form, form.double_opt_in) : []),
];

type RawForm = RawMap;

const nothing: RawMap = {};
const mapsIn = (list: unknown): readonly RawMap[] =>
  Array.isArray(list) ? list.map((one) => (isMap(one) ? one : nothing)) : [];

const isText = (value: unknown): value is string => typeof value === 'string';

/** The address is in a field that takes nothing else. */
function addressField({ to }: RawMap, fields: readonly RawMap[]): readonly Finding[] {
  if (!isText(to) || to === '') return [];
  const field = fields.find(({ name }) => name === to);
  const emails = fields
    .filter(({ type }) => type === 'email')
    .flatMap(({ name }) => (isText(name) ? name : []));
  const only = emails.length === 1 ? emails[0] : undefined;
  const near = nearest(to, namesIn(fields)) ?? only;
  if (!field && to.includes('{{')) return [finding('visitor_mail_to_template', ['to'], { near })];
  if (!field) return [finding('field_undeclared', ['to'], { name: to, near })];
  return field.type === 'email'
    ? []
    : [finding('visitor_mail_to_no_email', ['to'], { name: to, near: only })];
}

/** Without `to`, it is the only field that holds one. */
function onlyAddress(fields: readonly RawMap[]): readonly Finding[] {
  const emails = fields.filter(({ type }) => type === 'email').map(({ name }) => String(name));
  return emails.length === 1 ? [] : [finding('resume_to_whom', [], { emails })];
}

const namesIn = (fields: readonly RawMap[]) =>
  fields
    .map(({ name }) => name)
    .filter(isText)
    .slice(0, mostCandidates);

/** A visitor who chooses both text and recipient could send anything to anybody in the owner's name. */
function strangersWords(words: unknown, path: Path, fields: readonly RawMap[]): readonly Finding[] {
  const template = isText(words) ? parseTemplate(words) : undefined;
  if (!template?.ok) return [];
  const { fieldNames, pagePaths } = template.value;
  return [
    ...[...fieldNames].flatMap((name) => {
      const field = fields.find((one) => one.name === name);
      if (!field) return [finding('field_undeclared', path, { name, near: nearest(name, namesIn(fields)) })];
      return isInWords(field) ? [] : [finding('visitor_mail_free_text', path, { name })];
    }),
    ...[...pagePaths].map((found) => finding('visitor_mail_page', path, { path: found })),
  ];
}

const isChoice = ({ type }: { readonly type?: unknown }) => fieldTypeOf(type)?.offersChoice === true;

/** Only whoever confirmed the address may be mailed what was typed. */
function copyProblems(
  { copy, to }: RawMap,
  confirmed: unknown,
  fields: readonly RawMap[],
): readonly Finding[] {
  if (copy === 'choices' && fields.length > 0 && !fields.some(isListed))
    return [finding('visitor_mail_copy_empty', ['copy'])];
  const isConfirmed = isMap(confirmed) && confirmed.to === to;
  return copy === 'all' && !isConfirmed ? [finding('visitor_mail_copy_unconfirmed', ['copy'])] : [];
}

/**
 * Whether visitors choose from what the config lists, at least in a part of it. Numbers of a slider are none that somebody
 * typed, since they are checked against its steps; the relay itself works out results.
 */
export const isListed = (field: { readonly type?: unknown; readonly fields?: unknown }): boolean =>
  isChoice(field) ||
  ['range', 'matrix', 'computed'].includes(String(field.type)) ||
  (field.type === 'repeat' && mapsIn(field.fields).some(isListed));

/** Whether the words of a mail may hold it: one value, and nothing typed. */
export const isInWords = ({ type }: { readonly type?: unknown }): boolean =>
  isListed({ type }) && fieldTypeOf(type)?.hasParts !== true;

/** There is a server that carries it. */
function carrierProblems({ through }: RawMap, outputs: readonly RawMap[]): readonly Finding[] {
  const sendsMails = ({ type }: RawMap) => mailTypes.some((one) => one === type);
  const places = outputs.flatMap((output, index) => (sendsMails(output) ? index : []));
  if (through === undefined)
    return places.length === 0 && outputs.length > 0 ? [finding('visitor_mail_uncarried', [])] : [];
  if (!isText(through) || !/^\d{1,4}$/.test(through)) return [];
  const index = Number(through);
  return places.includes(index)
    ? []
    : [finding('visitor_mail_through_none', ['through'], { index, isThere: index < outputs.length, places })];
}
