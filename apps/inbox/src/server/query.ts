import { err, ok, type Result } from '@form-relay/base/result';
import { type Query, states } from '../api.ts';

const texts = ['search', 'form'] as const;
const times = ['since', 'until'] as const;
const longest = 1_000;

/** The choice of entries in an address. */
export function readQuery(given: URLSearchParams): Result<Query, string> {
  const query: { -readonly [key in keyof Query]: Query[key] } = {};
  for (const name of texts) {
    const text = given.get(name);
    if (text === null || text === '') continue;
    if (text.length > longest) return err(`${name} is longer than ${longest} characters`);
    query[name] = text;
  }
  for (const name of times) {
    const text = given.get(name);
    if (text === null || text === '') continue;
    const time = Number(text);
    if (!Number.isSafeInteger(time)) return err(`${name} is no time in milliseconds`);
    query[name] = time;
  }
  const state = given.get('state') || undefined;
  const known = [...states, 'doubted' as const].find((one) => one === state);
  if (state !== undefined && !known) return err('there is no such state');
  if (known) query.state = known;
  const mark = given.get('mark') || undefined;
  if (mark !== undefined && mark !== 'spam' && mark !== 'ham') return err('a mark is spam or ham');
  if (mark) query.mark = mark;
  if (['true', '1'].includes(given.get('unread') ?? '')) query.unread = true;
  return ok(query);
}

/** A whole number in an address. `undefined` if it is none, or out of bounds. */
export function numberIn(given: URLSearchParams, name: string, otherwise: number, most: number) {
  const text = given.get(name);
  if (text === null) return otherwise;
  const number = Number(text);
  return /^\d{1,15}$/.test(text) && number <= most ? number : undefined;
}
