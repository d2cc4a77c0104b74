/** The `Forwarded` header (RFC 7239), read from its end: only the end is what a trusted proxy wrote (D109). */

/** The last element of the header. */
export interface LastElement {
  /** The value of its `for`, without quotes; `undefined` if it has none. */
  readonly node: string | undefined;
  /** Whether it breaks the grammar, or has two `for`. */
  readonly isMalformed: boolean;
  /** The header without it. */
  readonly before: string;
}

export function lastElement(header: string): LastElement {
  const start = startOfLast(header);
  const before = header.slice(0, Math.max(0, start - 1));
  return { ...readElement(header.slice(start)), before };
}

/**
 * A quote inside quotes follows a backslash, and a quote that opens follows `=`. So the end of a header tells where its
 * last element begins, whatever stands before.
 */
function startOfLast(header: string): number {
  let isQuoted = false;
  for (let at = header.length - 1; at >= 0; at -= 1) {
    if (header[at] === '"' && !(isQuoted && header[at - 1] === '\\')) isQuoted = !isQuoted;
    if (header[at] === ',' && !isQuoted) return at + 1;
  }
  return 0;
}

function readElement(element: string): Omit<LastElement, 'before'> {
  let node: string | undefined;
  for (let at = 0; at < element.length; at = pair.lastIndex) {
    pair.lastIndex = at;
    const [, name, quoted, plain = ''] = pair.exec(element) ?? [];
    if (pair.lastIndex === 0) return malformed;
    if (name?.toLowerCase() !== 'for') continue;
    if (node !== undefined) return malformed;
    node = quoted?.replace(/\\(.)/gs, '$1') ?? plain;
  }
  return { node, isMalformed: false };
}

const malformed = { node: undefined, isMalformed: true };

/**
 * One pair, or none, up to the next semicolon. More than the RFC allows: spaces anywhere, and values without quotes that need
 * them (`for=[2001:db8::1]`), as some proxies write both. Neither makes another reading possible.
 */
const pair =
  /[ \t]*(?:([!#$%&'*+.^`|~\w-]+)[ \t]*=[ \t]*(?:(?:"((?:[^"\\]|\\.)*)"|([^\s",;\\]+))[ \t]*)?)?(?:;|$)/sy;
