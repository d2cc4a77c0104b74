/** Configs, and requests to them. Both follow from a number. */
import { readYaml } from '../../scripts/data.ts';
import { chance } from '../chaos/chance.ts';

export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Sinks {
  readonly http: string;
  readonly smtp: number;
}

type Lists = Record<'fieldKeys' | 'tests' | 'spam' | 'formKeys' | 'outputs' | 'templates' | 'odd', string[]>;

interface Pieces extends Lists, Record<'contentTypes' | 'brokenBodies', string[]> {
  readonly types: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<string, string>>;
  readonly headers: readonly Readonly<Record<string, string>>[];
}

export const pieces = readYaml<Pieces>(new URL('pieces.yaml', import.meta.url));

/** Draws from a sequence of random numbers. */
export function chances(...of: readonly number[]) {
  let drawn = 0;
  const next = () => {
    drawn += 1;
    return chance(...of, drawn);
  };
  const pick = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;
  return { next, pick, some: <T>(all: readonly T[], share: number) => all.filter(() => next() < share) };
}

const maps = (name: string, entries: readonly string[]) =>
  entries.length > 0 ? `, ${name}: {${entries.join(', ')}}` : '';

function fieldsOf(seed: number, number: number): readonly { readonly name: string; readonly type: string }[] {
  const { next, pick } = chances(seed, number, -1);
  const types = Object.keys(pieces.types);
  return Array.from({ length: 2 + Math.floor(next() * 7) }, (_, nth) => ({
    name: `f${nth}`,
    type: pick(types),
  }));
}

export function configOf(seed: number, number: number, to: Sinks): string {
  const { next, pick, some } = chances(seed, number);
  const all = fieldsOf(seed, number);
  const fields = all.map(({ name, type }, nth) => {
    const before = all[nth - 1];
    const isText = before?.type.startsWith('text, ') && !before.type.includes('one_of');
    const condition =
      isText && next() < 0.4 ? [`visible_when: {field: ${before.name}, ${pick(pieces.tests)}}`] : [];
    const required = next() < 0.4 && type !== 'hidden' ? ['required: true'] : [];
    const more = type === 'hidden' ? [] : some(pieces.fieldKeys, 0.12);
    return `      - {${[`name: ${name}`, `type: ${type}`, ...required, ...more, ...condition].join(', ')}}`;
  });
  const outputs = Array.from({ length: 1 + Math.floor(next() * 3) }, () => {
    const type = pick(pieces.outputs)
      .replace('HTTP', to.http)
      .replace('PORT', String(to.smtp))
      .replace('ANSWER', pick(Object.keys(pieces.answers)));
    const names = all.map(({ name }) => `${next() < 0.5 ? name : `k_${name}`}: ${name}`);
    const mapping = next() < 0.4 ? ', mapping: "*"' : maps('mapping', names);
    const template = (key: string) => `${key}: '${pick(pieces.templates)}'`;
    const fixed = maps('static', some(['s0', 'f0', 'k_f1'], 0.3).map(template));
    const headers = maps('headers', some(['X-A', 'Authorization'], 0.3).map(template));
    const own = type.startsWith('smtp') ? `, ${template('subject')}` : headers;
    const error = next() < 0.3 ? ', on_error: continue' : '';
    return `      - {type: ${type}${type.startsWith('slack') ? '' : mapping + fixed + own}${error}}`;
  });
  const form = some(pieces.formKeys, 0.15).map((key) => `    ${key}`);
  const spam = next() < 0.4 ? [`    spam: {${pick(pieces.spam)}}`] : [];
  const lines = [
    'forms:',
    '  contact:',
    ...form,
    '    fields:',
    ...fields,
    ...spam,
    '    outputs:',
    ...outputs,
  ];
  return `${lines.join('\n')}\n`;
}

/** @param token The token that the form gives its visitors; empty for none. */
export function exchangeOf(seed: number, number: number, nth: number, token: string): Exchange {
  const { next, pick, some } = chances(seed, number, nth + 1);
  const given = fieldsOf(seed, number)
    .filter(() => next() < 0.95)
    .map(({ name, type }) => [name, next() < 0.9 ? (pieces.types[type] as string) : pick(pieces.odd)]);
  const tokens = token
    ? [
        ['_ts', token],
        ['_t', token],
      ]
    : [];
  const more = [
    ...some(given, 0.05),
    ...some([['website', 'x']], 0.05),
    ...some([['other', pick(pieces.odd)]], 0.2),
  ];
  const body = new URLSearchParams([...given, ...tokens, ...more]).toString();
  const headers = pick(pieces.headers);
  const asPage = next() < 0.3 ? '&as=page' : '';
  if (next() < 0.1)
    return { method: 'GET', path: `/api/v1/form/contact?${body}${asPage}`, headers, body: '' };
  const type = next() < 0.03 ? pick(pieces.contentTypes) : 'application/x-www-form-urlencoded';
  const path = `/api/v1/submit/${next() < 0.01 ? 'other' : 'contact'}`;
  const sent = next() < 0.02 ? pick(pieces.brokenBodies) : body;
  return { method: 'POST', path, headers: { 'Content-Type': type, ...headers }, body: sent };
}
