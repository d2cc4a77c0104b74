/** Keeps answers to a size that an assistant can read. */
import { writeDocument } from '@form-relay/stored/archive/document';
import * as z from 'zod/v4';
import { ToolError } from './owner.ts';

/**
 * The longest answer in characters, with both of its copies: clients read the structured content, or the text. An
 * answer of this length is some 20,000 tokens, the most that clients accept.
 */
const most = 80_000;

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
    const cuts: string[] = [];
    const whole = shorten(answer, { text, list, cuts }, '') as T;
    const shorter = cuts.length === 0 ? whole : { ...whole, cut: cuts.slice(0, mostNamed) };
    const json = writeDocument(shorter);
    if (json.ok && json.value.length + JSON.stringify(json.value).length <= most)
      return { answer: shorter, json: json.value };
  }
  throw new ToolError('the answer is too large; ask for less at once');
}

/** Every tool's answer may have it. */
export const cut = z
  .array(z.string())
  .optional()
  .describe('What of the answer was left out, since it is long.');

/** More cuts than these are alike. */
const mostNamed = 20;

interface Limits {
  readonly text: number;
  readonly list: number;
  /** The cuts, in words. */
  readonly cuts: string[];
}

function shorten(value: unknown, limits: Limits, path: string): unknown {
  const { text, list, cuts } = limits;
  if (typeof value === 'string') {
    if (value.length <= text) return value;
    cuts.push(`${path}: ${text} of ${value.length} characters`);
    return `${value.slice(0, text)}… (${value.length - text} more characters)`;
  }
  if (Array.isArray(value)) {
    if (value.length > list) cuts.push(`${path}: ${list} of ${value.length} entries`);
    return value.slice(0, list).map((one, index) => shorten(one, limits, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      shorten(one, limits, path === '' ? key : `${path}.${key}`),
    ]),
  );
}
