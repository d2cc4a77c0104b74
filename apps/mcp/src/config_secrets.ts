/** The secrets in a config's text, and the text without them. */

import { isSecret, type Path, type Place } from '@form-relay/schema/diagnostics';
import { readDocument, textsIn } from '@form-relay/yaml/document';
import { hideSecrets, mask, maskLine, secretFinder, soundFinder } from '@form-relay/yaml/mask';

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
