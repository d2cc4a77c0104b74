/** Masks the secrets of a config wherever it is shown. */
import { memoized } from '@form-relay/base/maybe_promise';
import { isSecret, ownPath, secretNames } from '@form-relay/schema/diagnostics';
import { looksLikeSecret } from '@form-relay/schema/scalars';
import { meantBy, type Named, nearest, words } from '@form-relay/schema/suggestion';
import { meantBy as meantByVocabulary } from './advice/unknown_keys.ts';
import { type Document, type TextAt, textsIn } from './document.ts';

/** Values of these keys and their aliases are masked everywhere, even if the keys are misspelled. */
const secretKeys: readonly Named[] = [...secretNames, 'authorization'].map((name) => ({ name }));
const headers: Named = {
  name: 'headers',
  aliases: words('header auth authorization api_key bearer bearer_token http_headers'),
};

/** `then` resembles `token`. */
const isSecretName = (key: string) => key !== 'then' && meantByVocabulary(key, secretKeys) !== undefined;
const isHeadersName = (key: string) => meantBy(key, [headers]) !== undefined;

/** Tells which keys sound like those of secrets. Caches the answers, because a config repeats few keys thousands of times. */
export const soundFinder = () => memoized(soundOf);

function soundOf(key: string): 'secret' | 'headers' | undefined {
  if (isHeadersName(key)) return 'headers';
  return isSecretName(key) || nearest(key, ['sign']) !== undefined ? 'secret' : undefined;
}

/** Whether a text may be shown as the name of a variable, as under `secret_env`. */
const isVariable = (text: string) => /^[A-Za-z_]\w*$/.test(text) && !looksLikeSecret(text);

export const mask = (text: string) => '•'.repeat(text.length);

/**
 * Masks the secrets that a single line of a config reveals, keeping its length: values of secret keys and
 * headers, credentials in URLs, signing secrets, server keys and private age keys. If in doubt, masks too
 * much. `hideSecrets` handles secrets that depend on other lines.
 */
export const maskLine = (line: string): string =>
  maskValues(line).replaceAll(/(?<=\/)[^\s/?#]*(?=@)|(?:whsec_|frk_|AGE-SECRET-KEY-)[^\s"'{},]*/gi, mask);

function maskValues(line: string): string {
  let shown = '';
  for (const [start, end] of secretsIn(line))
    shown += line.slice(shown.length, start) + line.slice(start, end).replace(/\S.*/s, mask);
  return shown + line.slice(shown.length);
}

function secretsIn(line: string): readonly (readonly [start: number, end: number])[] {
  const secrets: [number, number][] = [];
  // Longer than any secret key. Without a limit, V8 would backtrack through each letter, and run out of memory on a line of 17 MB.
  for (const { 0: match, 1: key = '', index } of line.matchAll(/(?<![\w-])([\w-]{1,64})["']?\s*:/g)) {
    const start = index + match.length;
    const rest = line.slice(start);
    if (key === 'auth' && wayToSignIn.test(rest)) continue;
    const isHeaders = isHeadersName(key);
    if (index < (secrets.at(-1)?.[1] ?? 0) || (!isHeaders && !isSecretName(key))) continue;
    const isOnly = /^[\s"'-]*$/.test(line.slice(0, index));
    // A comma ends a value only in braces. A map of headers may continue after any brace, so the rest of the line is masked.
    const [value] = (!isOnly && !isHeaders && flowValue.exec(rest)) || [rest];
    secrets.push([start, start + value.length]);
  }
  return secrets;
}

/** The valid values of an output's `auth`. In other places, `auth` may be a header or a password. */
const wayToSignIn = /^\s*["']?x?(plain|login|oauth2)["']?\s*([,}#]|$)/;

/** A plain or quoted text whose end is certain: before another key, a comma at the end of the line, or the map's last brace. */
const flowValue =
  /^\s*("(\\.|[^"\\])*"\s*|'(''|[^'])*'\s*|[^\s"'[{&*!|>,}\]][^[{,}\]]*)?(?=,\s*["']?[\w-]+["']?\s*:|,\s*$|[}\]]\s*([,}\]#]|$))/;

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
    // A comment after a secret may repeat it.
    const rest = text.slice(end).split('\n', 1)[0] ?? '';
    const [, before = '', comment = ''] = /^(.*?\s)(#.*)/.exec(rest) ?? [];
    shown += before + mask(comment);
  }
  return shown + text.slice(shown.length);
}

/** Tells which texts are secret: those under secret keys, directly under misspelled ones, and in place of a variable's name. */
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
