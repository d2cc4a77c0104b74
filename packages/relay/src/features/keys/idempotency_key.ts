/**
 * Reads an `Idempotency-Key` header: a quoted string (RFC 9651, 3.3.3), as the IETF's draft has it, or the bare text that most
 * senders write. 1 to 255 printable ASCII characters. Both forms of one text are the same key.
 *
 * @returns `undefined` if it is malformed.
 */
export function readIdempotencyKey(header: string): string | undefined {
  const text = header.trim();
  const key = text.startsWith('"') ? unquoted(text) : text;
  return key !== undefined && /^[\x20-\x7e]{1,255}$/.test(key) ? key : undefined;
}

/** Quotes and backslashes inside are escaped, and nothing follows the end. */
function unquoted(text: string): string | undefined {
  const [, inside] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text) ?? [];
  return inside?.replaceAll(/\\(.)/g, '$1');
}
