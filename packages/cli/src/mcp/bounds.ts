/** Keeps answers to a size that an assistant can read. */
import { writeDocument } from '@form-relay/stored/archive/document';
import { CommandFailed } from '../command_failed.ts';

/** Of an answer's JSON, in characters. */
const most = 100_000;

/** Lengths of single texts and lists, tried in this order. */
const lengths = [
  [20_000, 2_000],
  [4_000, 500],
  [1_000, 100],
  [200, 40],
] as const;

/** The answer, with long texts and lists cut off as far as needed, and its JSON. */
export function bounded<T extends object>(answer: T): { readonly answer: T; readonly json: string } {
  for (const [text, list] of lengths) {
    const shorter = cut(answer, text, list) as T;
    const json = writeDocument(shorter);
    if (json.ok && json.value.length <= most) return { answer: shorter, json: json.value };
  }
  throw new CommandFailed('the answer is too large; ask for less at once');
}

function cut(value: unknown, text: number, list: number): unknown {
  if (typeof value === 'string')
    return value.length <= text ? value : `${value.slice(0, text)}… (${value.length - text} more characters)`;
  if (Array.isArray(value)) return value.slice(0, list).map((one) => cut(one, text, list));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cut(one, text, list)]));
}
