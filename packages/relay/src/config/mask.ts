import type { Path } from '../schema/finding.ts';
import { meantBy } from '../schema/suggestion.ts';

const secretKeys =
  'password secret token username client_secret refresh_token service_account private_key'.split(' ');

/** Values under these keys are masked everywhere, even under a misspelled key. `then` resembles `token`. */
const isSecretName = (key: string) =>
  key !== 'then' && meantBy(key, [...secretKeys, 'authorization']) !== undefined;
const isHeadersName = (key: string) => meantBy(key, ['headers']) !== undefined;

/**
 * Whether the value at `path` must not be shown. Any header may be a credential, and text in place of `sign` is its
 * secret.
 */
export const isSecret = (path: Path) =>
  path.at(-1) === 'sign' || path.some((key) => key === 'headers' || secretKeys.includes(String(key)));

export const mask = (text: string) => '•'.repeat(text.length);

/**
 * Masks a line of a config, keeping its length: values of secret keys and headers, credentials in URLs, signing secrets,
 * keys of servers and private age keys. Works on the text, because the YAML may be broken. In doubt it masks too much.
 */
export function maskLine(text: string, lineStart: number, line: string): string {
  const within = whatGoesOn(text, lineStart, line);
  if (within === 'headers')
    return line.replace(/(\s*(?:[^:]*:\s*)?)(.*)/s, (_, key, value) => key + mask(value));
  if (within === 'value') return line.replace(/\S.*/s, mask);
  return maskValues(line).replaceAll(
    /(?<=\/)[^\s/?#]*(?=@)|(?:whsec_|frk_|AGE-SECRET-KEY-)[^\s"'{},]*/gi,
    mask,
  );
}

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
  readonly isHeaders: boolean;
  /** Nothing comes before its key, so it is not in braces. */
  readonly isAlone: boolean;
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
    secrets.push({ start, end: start + value.length, isHeaders, isAlone });
  }
  return secrets;
}

/** The valid values of an output's `auth`. Elsewhere `auth` may be a header or a password. */
const wayToSignIn = /^\s*["']?x?(plain|login|oauth2)["']?\s*([,}#]|$)/;

/**
 * A plain or quoted text with a certain end: before another key, a comma at the end of the line, or the map's last
 * brace.
 */
const flowValue =
  /^\s*("(\\.|[^"\\])*"\s*|'(''|[^'])*'\s*|[^\s"'[{&*!|>,}\]][^[{,}\]]*)?(?=,\s*["']?[\w-]+["']?\s*:|,\s*$|[}\]]\s*([,}\]#]|$))/;

/** Whether the line continues a map of headers or a secret value from above, by its indentation. */
function whatGoesOn(text: string, lineStart: number, line: string): 'headers' | 'value' | undefined {
  let indent = line.search(/\S/);
  // In braces, indentation means nothing.
  let mayBeFurtherLeft = !/^\s*(-\s|[^\s,{}][^,{}]*:(\s|$))/.test(line);
  let isDirect = true;
  let isClosed = false;
  for (const above of linesAbove(text, lineStart)) {
    const end = above.slice(-longest);
    const secret = openAt(end);
    isClosed ||= closes.test(end);
    // Headers in braces that nothing has closed go on here, whatever the indentation.
    if (!isClosed && secret?.isHeaders && /^\s*\{/.test(end.slice(secret.start)))
      return secret.isEmpty ? 'headers' : 'value';
    const isOver = above.search(/\S/) < indent;
    if (!isOver && !mayBeFurtherLeft) continue;
    mayBeFurtherLeft = false;
    if (!isOver && secret?.isAlone !== false) continue;
    indent = above.search(/\S/);
    if (secret?.isHeaders) return isDirect && secret.isEmpty ? 'headers' : 'value';
    if (secret && isDirect) return 'value';
    if (/^[\s-]*["']?[\w-]{1,64}["']?\s*:/.test(above)) isDirect = false;
  }
  return undefined;
}

/** The end of a line on which a map in braces ends. */
const closes = /\}\s*,?\s*(#.*)?$/;

/** The part of a line that is searched for an open value. A line can have megabytes. */
const longest = 2_000;

/** The secret whose value may continue after a line. */
function openAt(line: string): (Secret & { readonly isEmpty: boolean }) | undefined {
  const secret = secretsIn(line).at(-1);
  if (secret?.end !== line.length) return undefined;
  return { ...secret, isEmpty: /^[\s{]*$/.test(line.slice(secret.start)) };
}

/** The nearest 200 lines, without comments and empty lines. */
function* linesAbove(text: string, lineStart: number): Generator<string> {
  let end = lineStart - 1;
  for (let lines = 0; end > 0 && lines < 200; lines += 1) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const above = text.slice(start, end);
    if (/^\s*[^\s#]/.test(above)) yield above;
    end = start - 1;
  }
}
