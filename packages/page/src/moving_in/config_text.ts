import { control, format } from '@form-relay/base/unicode';
import type { MovedForm } from './read_form.ts';

/** A remark for the owner about a config that was made from a page. */
export interface Remark {
  /** `to_do`: the page does not contain it, so the owner must add it. `note`: it was left out, or expressed differently. */
  readonly kind: 'to_do' | 'note';
  readonly text: string;
  /** The field's keys that the remark describes, separated by `|`. If the config rejects the key, the remark is dropped, too. */
  readonly key?: string;
}

export const toDo = (text: string): Remark => ({ kind: 'to_do', text });
export const note = (text: string): Remark => ({ kind: 'note', text });
export const when = (isSo: boolean, remark: Remark): readonly Remark[] => (isSo ? [remark] : []);

/** The config of the forms, with comments for their owner. `source` names what it was made from. */
export function configText(forms: readonly MovedForm[], source: string, schemaName: string): string {
  const lines = [
    `# yaml-language-server: $schema=${schemaName}`,
    comment(`Made by relay init from ${source}. Complete the lines marked TODO.`, 0),
    '',
    'forms:',
    ...forms.flatMap((form, at) => [...(at === 0 ? [] : ['']), ...formLines(form)]),
  ];
  return `${lines.join('\n')}\n`;
}

function formLines(form: MovedForm): readonly string[] {
  const { id, language, title, submitLabel, redirect, keys = {}, fields, groups, steps = [] } = form;
  const { captcha, outputs, remarks } = form;
  const lists: Readonly<Record<string, readonly Keys[]>> = { groups, steps };
  return [
    comment(`Pages send the form to /api/v1/submit/${encodeURIComponent(id)}?as=page.`, 2),
    `  ${scalar(id)}:`,
    ...about(language.remarks, 4),
    ...block({ language: language.language, title, submit_label: submitLabel }, 4),
    ...(keys.confirmation ? [] : [comment('confirmation: Thank you, we will be in touch.', 4)]),
    ...block(keys, 4),
    ...about(redirect?.remarks ?? [], 4),
    ...(redirect ? offUnless(redirect.isKnown, block({ redirect: redirect.address }, 4)) : []),
    '',
    fields.length === 0 ? '    fields: []' : '    fields:',
    ...fields.flatMap((field) => [...about(field.remarks, 6), ...listItem(field.keys, 6)]),
    ...about(remarks, 6),
    ...Object.entries(lists).flatMap(([key, items]) =>
      items.length > 0 ? ['', `    ${key}:`, ...items.flatMap((item) => listItem(item, 6))] : [],
    ),
    ...spamLines(form),
    ...(captcha
      ? [
          '',
          ...about([captcha.remark], 4),
          ...offUnless(captcha.isComplete, ['    captcha:', ...block(captcha.keys, 6)]),
        ]
      : []),
    '',
    '    outputs:',
    ...outputs.flatMap(({ remarks, keys }) => [...about(remarks, 6), ...blockItem(keys, 6)]),
  ];
}

function spamLines({ honeypot, keys, fields }: MovedForm): readonly string[] {
  if (keys?.spam) return [];
  if (honeypot === undefined)
    return [
      '',
      comment('The page had no honeypot. relay form html prints a hidden field of this name:', 4),
      comment('spam: {honeypot: website}', 4),
    ];
  const isTokenTaken = [honeypot, ...fields.map(({ name }) => name)].includes('_ts');
  return [
    '',
    '    spam:',
    comment('Visitors do not see this field. A submission that fills it in is dropped.', 6),
    ...block({ honeypot, token_field: isTokenTaken ? '_relay_ts' : undefined }, 6),
  ];
}

const about = (remarks: readonly Remark[], indent: number): readonly string[] =>
  remarks.flatMap(({ kind, text }) =>
    wrapped(`${kind === 'to_do' ? 'TODO: ' : ''}${capital(text)}.`).map((line) => comment(line, indent)),
  );

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Commented lines, which the owner can activate by removing `# `. */
const offUnless = (isOn: boolean, lines: readonly string[]) =>
  lines.map((line) => (isOn ? line : `    # ${line.slice(4)}`));

const widest = 100;

/** Breaks text at spaces into lines of readable length. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= widest) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A value of a config key, before it is written as text. */
export type Value = string | boolean | readonly Value[] | Keys;
export interface Keys {
  readonly [key: string]: Value | undefined;
}

/** Words that some YAML readers do not take as text. */
const taken = /^(true|false|null|yes|no|on|off|y|n)$/i;
/** Text that every YAML reader takes literally, on its own line and between brackets. */
const plain = /^[\p{L}_][\p{L}\p{M}\p{N} _.…?!/+=%&()@;–'’-]*(?<! )$/u;
const webAddress = /^https?:\/\/[\w./?=&%+~@:-]*[\w/]$/;
const number = /^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** Keeps joiners, which Persian, for instance, needs between letters. All other invisible characters are escaped. */
const unseen = new RegExp(
  `(?![\\u200c\\u200d])[${control}${format}\\p{Cs}\\u2028\\u2029\\ufffe\\uffff]`,
  'gu',
);

/** Text as YAML on one line, with quotes only if needed. */
function scalar(text: string): string {
  const isPlain = !taken.test(text) && [plain, webAddress, number, day].some((kind) => kind.test(text));
  if (isPlain && text.search(unseen) < 0) return text;
  if (text.search(unseen) < 0 && /["\\]/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll(unseen, escaped)}"`;
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string) =>
  short[character] ?? `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

const entriesOf = (keys: Keys) =>
  Object.entries(keys).filter((entry): entry is [string, Value] => entry[1] !== undefined);

function flow(value: Value): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return scalar(value);
  if (isList(value)) return `[${value.map(flow).join(', ')}]`;
  const entries = entriesOf(value).map(([key, inner]) => `${scalar(key)}: ${flow(inner)}`);
  return `{${entries.join(', ')}}`;
}

/** The keys of a map, one per line. A list or map that is too long for its line continues below. */
export const block = (keys: Keys, indent: number): readonly string[] =>
  entriesOf(keys).flatMap(([key, value]) => {
    const line = `${' '.repeat(indent)}${scalar(key)}: ${flow(value)}`;
    if (line.length <= widest || typeof value !== 'object') return [line];
    const below = isList(value)
      ? value.flatMap((item) => listItem(item, indent + 2))
      : block(value, indent + 2);
    return [`${' '.repeat(indent)}${scalar(key)}:`, ...below];
  });

/** An item of a list, on one line if it fits. */
function listItem(value: Value, indent: number): readonly string[] {
  const line = `${' '.repeat(indent)}- ${flow(value)}`;
  const isMap = typeof value === 'object' && !isList(value);
  return line.length <= widest || !isMap ? [line] : blockItem(value, indent);
}

/** An item of a list, with one line per key. */
const blockItem = (keys: Keys, indent: number): readonly string[] =>
  block(keys, indent + 2).map((line, at) => (at === 0 ? `${' '.repeat(indent)}- ${line.trimStart()}` : line));

/** Foreign text as a one-line comment. */
const comment = (text: string, indent: number): string =>
  `${' '.repeat(indent)}# ${text.replaceAll(unseen, ' ')}`;
