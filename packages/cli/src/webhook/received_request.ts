import { err, ok, type Result } from '@form-relay/core/base/result';

/** A request as a server got it. */
export interface ReceivedRequest {
  /** All values of each name; names in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Every byte after the empty line. */
  readonly body: Buffer;
}

/** Reads a request that somebody kept: the headers, with or without the request line, an empty line, the body. */
export function readRequest(bytes: Buffer): Result<ReceivedRequest, string> {
  // Some editors begin every file with a byte order mark.
  const start = bytes.subarray(0, 3).toString('hex') === 'efbbbf' ? 3 : 0;
  // Latin-1 gives a character for each byte, so places in the text are places in the bytes.
  const text = bytes.toString('latin1', start);
  const end = /(?<=\n|^)\r?\n/.exec(text);
  if (!end) return err(text === '' ? 'there is no request: this is empty' : noEmptyLine);
  const headers = new Map<string, readonly string[]>();
  for (const [index, line] of text.slice(0, end.index).split(/\r?\n/).slice(0, -1).entries()) {
    if (index === 0 && /^[A-Z]+ \S+ HTTP\/\d/.test(line)) continue;
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined) return err(`line ${index + 1} is no header, such as "webhook-id: …"`);
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), value]);
  }
  return ok({ headers, body: bytes.subarray(start + end.index + end[0].length) });
}

const noEmptyLine = 'there is no empty line, which ends the headers; the body follows it';
