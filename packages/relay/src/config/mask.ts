import { looksLikeSecret } from '../base/looks_like_secret.ts';
import type { Path } from '../schema/finding.ts';
import { meantBy } from '../schema/suggestion.ts';

const secretKeys =
  'password secret token username client_secret refresh_token service_account private_key'.split(' ');

/** Values under these keys are masked everywhere, even under a misspelled key. `then` resembles `token`. */
const isSecretName = (key: string) =>
  key !== 'then' && meantBy(key, [...secretKeys, 'authorization']) !== undefined;
const isHeadersName = (key: string) => meantBy(key, ['headers']) !== undefined;

/** Tells which keys sound like those of secrets. Remembers them, since a config has the same few keys thousands of times. */
export function soundFinder(): (key: string) => 'secret' | 'headers' | undefined {
  const sounds = new Map<string, 'secret' | 'headers' | undefined>();
  return (key) => {
    if (!sounds.has(key)) sounds.set(key, soundOf(key));
    return sounds.get(key);
  };
}

function soundOf(key: string): 'secret' | 'headers' | undefined {
  if (isHeadersName(key)) return 'headers';
  return isSecretName(key) || meantBy(key, ['sign']) !== undefined ? 'secret' : undefined;
}

/**
 * Whether the value at `path` must not be shown. Any header may be a credential, and text in place of `sign` is its
 * secret.
 */
export const isSecret = (path: Path) =>
  path.at(-1) === 'sign' || path.some((key) => key === 'headers' || secretKeys.includes(String(key)));

/** Whether a text may stand in place of a variable's name, as under `secret_env`, and be shown. */
export const isVariable = (text: string) => /^[A-Za-z_]\w*$/.test(text) && !looksLikeSecret(text);

export const mask = (text: string) => '•'.repeat(text.length);

/**
 * Masks what a line of a config tells on its own, keeping its length: values of secret keys and headers, credentials in
 * URLs, signing secrets, keys of servers and private age keys. In doubt it masks too much. For what follows from other
 * lines, there is `hideSecrets`.
 */
export const maskLine = (line: string): string =>
  maskValues(line).replaceAll(/(?<=\/)[^\s/?#]*(?=@)|(?:whsec_|frk_|AGE-SECRET-KEY-)[^\s"'{},]*/gi, mask);

function maskValues(line: string): string {
  let shown = '';
  let done = 0;
  for (const { start, end } of secretsIn(line)) {
    shown += line.slice(done, start) + line.slice(start, end).replace(/\S.*/s, mask);
    done = end;
  }
  return shown + line.slice(done);
}

/** The range of a secret key's value on a line. */
interface Secret {
  readonly start: number;
  readonly end: number;
}

function secretsIn(line: string): readonly Secret[] {
  const secrets: Secret[] = [];
  // The limit exceeds all secret keys: V8 backtracks through each letter, and runs out of memory on a line of 17 MB.
  for (const { 0: match, 1: key = '', index } of line.matchAll(/(?<![\w-])([\w-]{1,64})["']?\s*:/g)) {
    const start = index + match.length;
    const rest = line.slice(start);
    if (key === 'auth' && wayToSignIn.test(rest)) continue;
    const isHeaders = isHeadersName(key);
    if (index < (secrets.at(-1)?.end ?? 0) || (!isHeaders && !isSecretName(key))) continue;
    const isAlone = /^[\s"'-]*$/.test(line.slice(0, index));
    // A comma ends a value only in braces. A map of headers may continue after any brace, so all of it is masked.
    const [value] = (!isAlone && !isHeaders && flowValue.exec(rest)) || [rest];
    secrets.push({ start, end: start + value.length });
  }
  return secrets;
}

/** The valid values of an output's `auth`. Elsewhere `auth` may be a header or a password. */
export const wayToSignIn = /^\s*["']?x?(plain|login|oauth2)["']?\s*([,}#]|$)/;

/**
 * A plain or quoted text with a certain end: before another key, a comma at the end of the line, or the map's last
 * brace.
 */
const flowValue =
  /^\s*("(\\.|[^"\\])*"\s*|'(''|[^'])*'\s*|[^\s"'[{&*!|>,}\]][^[{,}\]]*)?(?=,\s*["']?[\w-]+["']?\s*:|,\s*$|[}\]]\s*([,}\]#]|$))/;
