/** Keeps answers to a size that an assistant can read. */

import { isSecret, type Path, type Place } from '@form-relay/schema/diagnostics';
import { writeDocument } from '@form-relay/stored/archive/document';
import { readDocument, textsIn } from '@form-relay/yaml/document';
import { hideSecrets, mask, maskLine, secretFinder, soundFinder } from '@form-relay/yaml/mask';
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
  throw new ToolError('the result is too large; request less at once');
}

/** Every tool's answer may have it. */
export const cut = z.array(z.string()).optional().describe('The parts of a long result that were left out.');

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

/** The secrets in a config's text, and the text without them. */

/** A config, or a part of its comments, with all of its secrets masked. Keeps its length. */
export function maskText(text: string): string {
  const read = readDocument(text);
  const shown = read.ok ? hideComments(hideSecrets(text, read.value)) : hideFromSecretOn(text);
  return shown.replaceAll(/[^\r\n]+/g, maskLine);
}

/** Masks comments below the key of a secret, which may hold another one. */
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

/** In a comment that is not YAML, nothing tells where a secret ends: masks all below the first key of one. */
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

/** Headers that hold no secret, and whose values are common words. */
const openHeaders = /^(accept|content-|user-agent|x-requested-with)/i;

/** Shorter texts, such as `true` under a header, stand everywhere. */
const leastCharacters = 6;

/**
 * The secrets that a config holds in clear, to hide them wherever they appear: values under secret keys and in headers, with and
 * without the scheme before them, and credentials in URLs. None of a config that is no YAML.
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

/** A text in a config, and where it stands. */
export interface WrittenText {
  readonly path: Path;
  readonly value: string;
  /** Where the text itself stands, which may be behind an alias. */
  readonly place: Place;
  readonly isSecret: boolean;
}

/** Everything that stands in a config. */
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
