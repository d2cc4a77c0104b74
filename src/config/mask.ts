import type { Path } from '../place.ts';
import { meantBy } from '../suggestion.ts';

const secretKeys = [
  'password',
  'secret',
  'token',
  'username',
  'client_secret',
  'refresh_token',
  'service_account',
  'private_key',
];

/** Values under these keys are masked wherever they stand, even where the key is mistyped. `then` looks like `token`. */
const isSecretName = (key: string) =>
  key !== 'then' && meantBy(key, [...secretKeys, 'authorization']) !== undefined;
const isHeadersName = (key: string) => meantBy(key, ['headers']) !== undefined;

/** Whether what stands at `path` must not be shown. Any header can be a credential; text in place of `sign`, its secret. */
export const isSecret = (path: Path) =>
  path.at(-1) === 'sign' || path.some((key) => key === 'headers' || secretKeys.includes(String(key)));

export const mask = (text: string) => '•'.repeat(text.length);

/**
 * A line of a config as it may be shown: of the same length, without the values of secret keys and headers, without
 * credentials in URLs, secrets to sign with and private keys of age. It works on the text, because the YAML may be broken. In doubt it masks too much.
 */
export function maskLine(text: string, lineStart: number, line: string): string {
  const around = keyAround(text, lineStart, line);
  if (isHeadersName(around))
    return line.replace(/^(\s*(?:[^:]*:\s*)?)(.*)$/, (_, key, value) => key + mask(value));
  if (isSecretName(around)) return line.replace(/\S.*/, mask);
  return maskValues(line).replaceAll(/(?<=\/)[^\s/?#]*(?=@)|(?:whsec_|AGE-SECRET-KEY-)[^\s"'{},]*/gi, mask);
}

function maskValues(line: string): string {
  let shown = line;
  let end = 0;
  // No longer than any that is meant: V8 remembers each letter of a word, and runs out of room on a line of 17 MB.
  for (const { 0: match, 1: key = '', index } of line.matchAll(/(?<![\w-])([\w-]{1,64})["']?\s*:/g)) {
    if (key === 'auth' && wayToSignIn.test(line.slice(index + match.length))) continue;
    const isHeaders = isHeadersName(key);
    if (index < end || (!isHeaders && !isSecretName(key))) continue;
    const start = index + match.length;
    // A comma ends a value only inside braces. A map of headers may go on after any brace, so all of it is masked.
    const isAlone = isHeaders || /^[\s"'-]*$/.test(line.slice(0, index));
    const rest = line.slice(start);
    const [value] = (!isAlone && flowValue.exec(rest)) || [rest];
    end = start + value.length;
    shown = shown.slice(0, start) + value.replace(/\S.*/, mask) + shown.slice(end);
  }
  return shown;
}

/** What `auth` of an output may say. Elsewhere it is a word for a header, or for a password. */
const wayToSignIn = /^\s*["']?x?(plain|login|oauth2)["']?\s*([,}#]|$)/;

/** A plain or quoted text whose end is certain: another key follows, or the map's last brace. */
const flowValue =
  /^\s*("(\\.|[^"\\])*"\s*|'(''|[^'])*'\s*|[^\s"'[{&*!|>,}\]][^[{,}\]]*)?(?=,\s*["']?[\w-]+["']?\s*:|[}\]]\s*([,}\]#]|$))/;

/** The key under which a line stands, by its indentation; a secret's further lines stand under the secret's key. */
function keyAround(text: string, lineStart: number, line: string): string {
  const indent = line.search(/\S|$/);
  let end = lineStart - 1;
  for (let lines = 0; end > 0 && lines < 200; lines += 1) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const above = text.slice(start, end);
    const isText = /^\s*[^\s#]/.test(above);
    if (isText && above.search(/\S/) < indent) return /^[\s-]*["']?([\w-]+)/.exec(above)?.[1] ?? '';
    end = start - 1;
  }
  return '';
}
