import type { Path } from '../base/place.ts';
import { meantBy } from '../base/suggestion.ts';

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
  const within = whatGoesOn(text, lineStart, line);
  if (within === 'headers')
    return line.replace(/(\s*(?:[^:]*:\s*)?)(.*)/s, (_, key, value) => key + mask(value));
  if (within === 'value') return line.replace(/\S.*/s, mask);
  return maskValues(line).replaceAll(/(?<=\/)[^\s/?#]*(?=@)|(?:whsec_|AGE-SECRET-KEY-)[^\s"'{},]*/gi, mask);
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

/** Where on a line the value of a secret key stands. */
interface Secret {
  readonly start: number;
  readonly end: number;
  readonly isHeaders: boolean;
  /** Nothing stands before its key, so that it is in no braces. */
  readonly isAlone: boolean;
}

function secretsIn(line: string): readonly Secret[] {
  const secrets: Secret[] = [];
  // No longer than any that is meant: V8 remembers each letter of a word, and runs out of room on a line of 17 MB.
  for (const { 0: match, 1: key = '', index } of line.matchAll(/(?<![\w-])([\w-]{1,64})["']?\s*:/g)) {
    const start = index + match.length;
    const rest = line.slice(start);
    if (key === 'auth' && wayToSignIn.test(rest)) continue;
    const isHeaders = isHeadersName(key);
    if (index < (secrets.at(-1)?.end ?? 0) || (!isHeaders && !isSecretName(key))) continue;
    const isAlone = /^[\s"'-]*$/.test(line.slice(0, index));
    // A comma ends a value only inside braces. A map of headers may go on after any brace, so all of it is masked.
    const [value] = (!isAlone && !isHeaders && flowValue.exec(rest)) || [rest];
    secrets.push({ start, end: start + value.length, isHeaders, isAlone });
  }
  return secrets;
}

/** What `auth` of an output may say. Elsewhere it is a word for a header, or for a password. */
const wayToSignIn = /^\s*["']?x?(plain|login|oauth2)["']?\s*([,}#]|$)/;

/** A plain or quoted text whose end is certain: another key follows, or the line ends with a comma, or with the map's last brace. */
const flowValue =
  /^\s*("(\\.|[^"\\])*"\s*|'(''|[^'])*'\s*|[^\s"'[{&*!|>,}\]][^[{,}\]]*)?(?=,\s*["']?[\w-]+["']?\s*:|,\s*$|[}\]]\s*([,}\]#]|$))/;

/** Of what a line above began, and this one goes on with, by its indentation: the headers, each with its name, or a value. */
function whatGoesOn(text: string, lineStart: number, line: string): 'headers' | 'value' | undefined {
  let indent = line.search(/\S/);
  // In braces, indentation says nothing.
  let mayBeFurtherLeft = !/^\s*(-\s|[^\s,{}][^,{}]*:(\s|$))/.test(line);
  let isDirect = true;
  for (const above of linesAbove(text, lineStart)) {
    const isOver = above.search(/\S/) < indent;
    if (!isOver && !mayBeFurtherLeft) continue;
    const secret = openAt(above.slice(-longest));
    mayBeFurtherLeft = false;
    if (!isOver && secret?.isAlone !== false) continue;
    indent = above.search(/\S/);
    if (secret?.isHeaders) return isDirect && secret.isEmpty ? 'headers' : 'value';
    if (secret && isDirect) return 'value';
    if (/^[\s-]*["']?[\w-]{1,64}["']?\s*:/.test(above)) isDirect = false;
  }
  return undefined;
}

/** As much of a line as is looked at for what goes on after it. A line can have megabytes. */
const longest = 2_000;

/** The secret that may go on after a line. */
function openAt(line: string): (Secret & { readonly isEmpty: boolean }) | undefined {
  const secret = secretsIn(line).at(-1);
  if (secret?.end !== line.length) return undefined;
  return { ...secret, isEmpty: /^[\s{]*$/.test(line.slice(secret.start)) };
}

/** Of the nearest 200, all but comments and empty lines. */
function* linesAbove(text: string, lineStart: number): Generator<string> {
  let end = lineStart - 1;
  for (let lines = 0; end > 0 && lines < 200; lines += 1) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const above = text.slice(start, end);
    if (/^\s*[^\s#]/.test(above)) yield above;
    end = start - 1;
  }
}
