/** Limits answers to a length that an assistant can read. */

import { isSecret, type Path, type Place } from '@form-relay/schema/diagnostics';
import { writeDocument } from '@form-relay/stored/archive/read_entry';
import { readDocument, textsIn } from '@form-relay/yaml/document';
import { hideSecrets, mask, maskLine, secretFinder, soundFinder } from '@form-relay/yaml/mask';
import * as z from 'zod/v4';
import { ToolError } from './owner.ts';

/**
 * The maximum length in characters of both copies of an answer: clients read either the structured content or
 * the text. This is some 20,000 tokens, the most that clients accept.
 */
const most = 80_000;

/** Maximum lengths of a text and a list, tried in this order. */
const lengths = [
  [20_000, 2_000],
  [4_000, 500],
  [1_000, 100],
  [200, 40],
] as const;

/** Truncates long texts and lists as far as needed. Returns the answer and its JSON. */
export function bounded<T extends object>(answer: T): { readonly answer: T; readonly json: string } {
  for (const [text, list] of lengths) {
    const cuts: string[] = [];
    const whole = shorten(answer, { text, list, cuts }, '') as T;
    const shorter = cuts.length === 0 ? whole : { ...whole, cut: cuts.slice(0, mostNamed) };
    const json = writeDocument(shorter);
    if (json.ok && json.value.length + JSON.stringify(json.value).length <= most)
      return { answer: shorter, json: json.value };
  }
  throw new ToolError('the result is too large; request less at once');
}

/** Added to every tool's output schema. */
export const cut = z.array(z.string()).optional().describe('The parts of a long result that were left out.');

/** Beyond this number, further cuts are not listed. */
const mostNamed = 20;

interface Limits {
  readonly text: number;
  readonly list: number;
  /** Descriptions of the cuts. */
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

/** Finds and masks the secrets in a config's text. */

/** Masks all secrets in a config or in its comments. Keeps the length. */
export function maskText(text: string): string {
  const read = readDocument(text);
  const shown = read.ok ? hideComments(hideSecrets(text, read.value)) : hideFromSecretOn(text);
  return shown.replaceAll(/[^\r\n]+/g, maskLine);
}

/** Masks comments below a secret's key, which may contain another secret. */
function hideComments(text: string): string {
  const holdsSecret = secretKeyFinder();
  let column = Infinity;
  return text.replaceAll(/[^\r\n]+/g, (line) => {
    const indent = line.search(/[^\s-]|-(?! )/);
    const isComment = line[indent] === '#';
    if (indent >= 0 && indent <= column && !isComment) column = holdsSecret(line) ? indent : Infinity;
    return indent > column ? line.replace(/(?<!\S)#.*/, mask) : line;
  });
}

/** Where a secret ends in a comment that is not YAML is unknown: masks everything from there on. */
function hideFromSecretOn(text: string): string {
  const holdsSecret = secretKeyFinder();
  let isBelow = false;
  return text.replaceAll(/[^\r\n]+/g, (line) => {
    if (isBelow) return line.replace(/\S.*/, mask);
    isBelow = holdsSecret(line);
    return line;
  });
}

function secretKeyFinder(): (line: string) => boolean {
  const soundOf = soundFinder();
  return (line) =>
    [...line.matchAll(/(?<![\w-])([\w-]{1,64})["']?\s*:/g)].some(
      ([, key = '']) => soundOf(key) !== undefined,
    );
}

/** Headers that are not secret, and whose values are common words. */
const openHeaders = /^(accept|content-|user-agent|x-requested-with)/i;

/** Shorter texts, such as `true` under a header, occur everywhere. */
const leastCharacters = 6;

/**
 * Secrets written in a config, to be hidden wherever they appear: values of secret keys and headers, with and
 * without their scheme, and credentials in URLs. Empty for text that is not YAML.
 */
export function secretValues(text: string): readonly string[] {
  const read = readDocument(text);
  return read.ok ? [...new Set(valuesIn(read.value.value, []))].filter(isLong) : [];
}

export const isLong = (value: string) => value.length >= leastCharacters && !value.includes('{{');

function valuesIn(value: unknown, path: Path): readonly string[] {
  if (typeof value === 'string') return isSecret(path) ? [value, ...afterScheme(value)] : inUrl(value);
  return Object.entries(value ?? {}).flatMap(([key, one]) => {
    const isOpen = key === 'username' || (path.at(-1) === 'headers' && openHeaders.test(key));
    return isOpen ? [] : valuesIn(one, [...path, key]);
  });
}

const afterScheme = (value: string) => /^[A-Za-z]+ +(\S+)$/.exec(value)?.slice(1) ?? [];

const inUrl = (value: string) => {
  const [, username = '', password = ''] = /^[a-z][a-z+]*:\/\/([^\s/:@]*):?([^\s/@]*)@/i.exec(value) ?? [];
  return [username, password];
};

/** A text in a config, and its position. */
export interface WrittenText {
  readonly path: Path;
  readonly value: string;
  /** The position of the text itself, which may be at an anchor. */
  readonly place: Place;
  readonly isSecret: boolean;
}

/** All texts and comments of a config. */
export interface Written {
  readonly value: unknown;
  readonly texts: readonly WrittenText[];
  readonly comments: readonly Place[];
}

/** The texts and comments of a config; `undefined` if it is not YAML. */
export function writtenIn(text: string): Written | undefined {
  const read = readDocument(text);
  if (!read.ok) return undefined;
  const { value, places } = read.value;
  const isSecret = secretFinder();
  const texts = textsIn(value).map((one) => ({
    ...one,
    place: places.written(one.path),
    isSecret: isSecret(one),
  }));
  return { value, texts, comments: places.comments() };
}
