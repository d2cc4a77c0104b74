/** Hides the secrets of a config that span several lines or stand apart from their key. */
import type { Path } from '../schema/finding.ts';
import { isSecret, isVariable, mask, soundFinder, wayToSignIn } from './mask.ts';
import { type Document, type TextAt, textsIn } from './yaml/document.ts';

/** Masks the secrets of a text that was read as YAML, by their paths. */
export function hideSecrets(text: string, document: Document): string {
  const isHidden = secretFinder();
  const places = textsIn(document.value)
    .filter(isHidden)
    .map(({ path }) => document.places.written(path))
    .sort((a, b) => a.offset - b.offset);
  let shown = '';
  for (const { offset, length } of places) {
    const end = offset + length;
    if (end <= shown.length) continue;
    shown += text.slice(shown.length, offset);
    shown += text.slice(shown.length, end).replaceAll(/\S.*/g, mask);
    // The secret before it may stand in a comment.
    const [, before = '', comment = ''] = /^(.*?\s)(#.*)/.exec(restOfLine(text, end)) ?? [];
    shown += before + mask(comment);
  }
  return shown + text.slice(shown.length);
}

function restOfLine(text: string, from: number): string {
  const end = text.indexOf('\n', from);
  return text.slice(from, end < 0 ? undefined : end);
}

/** Tells which texts are secrets: under keys of secrets, right under misspelled ones, and in place of a variable's name. */
export function secretFinder(): (one: TextAt) => boolean {
  const soundOf = soundFinder();
  return ({ path, value }) => {
    const own = ownPath(path);
    const [key = '', above = ''] = own.filter((one) => typeof one === 'string').reverse();
    if (isSecret(own) || soundOf(above) === 'headers') return true;
    if (key.endsWith('_env')) return !isVariable(value);
    return soundOf(key) !== undefined && !(key === 'auth' && wayToSignIn.test(value));
  };
}

/** A path without the name of a form, which may be that of a key. */
export const ownPath = (path: Path): Path => (path[0] === 'forms' ? path.slice(2) : path);
