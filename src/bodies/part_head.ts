/** What a part of `multipart/form-data` says of itself. */
export interface PartHead {
  /** The field's. */
  readonly name: string;
  /** Of files alone; empty where none was chosen. */
  readonly filename?: string;
  /** The media type that its sender claims; empty where none is given. */
  readonly type: string;
}

/** Reads the lines above a part's content (RFC 7578, 4). `undefined` when malformed, or when nobody sends such a part. */
export function readPartHead(text: string): PartHead | undefined {
  const headers = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const [, key, value = ''] = header.exec(line) ?? [];
    if (key === undefined || headers.has(key.toLowerCase())) return undefined;
    headers.set(key.toLowerCase(), value);
  }
  const about = readDisposition(headers.get('content-disposition') ?? '');
  const type = /^[^;\s]*/.exec(headers.get('content-type') ?? '')?.[0].toLowerCase() ?? '';
  // Deprecated, and sent by nobody (RFC 7578, 4.7 and 4.3): what it says would arrive as it is.
  const isEncoded = !/^(?:7bit|8bit|binary)?$/i.test(headers.get('content-transfer-encoding') ?? '');
  const holdsParts = type.startsWith('multipart/') && about?.filename === undefined;
  return about && !isEncoded && !holdsParts ? { ...about, type } : undefined;
}

/** Of one line: no other line end hides a part of it. */
const header = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n]*?)[ \t]*$/;

/**
 * Reads `form-data; name="cv"; filename="cv.pdf"`. Browsers write `%22`, `%0D` and `%0A` for what cannot stand between
 * quotes, and a backslash as it is (HTML: multipart/form-data encoding algorithm); other clients write `\"`. `filename*`
 * counts only alone, since browsers never send it (RFC 7578, 4.2). `undefined` when malformed.
 */
export function readDisposition(text: string): Omit<PartHead, 'type'> | undefined {
  const found = new Map<string, string>();
  let at = /^form-data[ \t]*(?=;)/i.exec(text)?.[0].length;
  while (at !== undefined && at < text.length) {
    parameter.lastIndex = at;
    const [whole = '', key = '', quoted, token = ''] = parameter.exec(text) ?? [];
    if (whole === '' || found.has(key.toLowerCase())) return undefined;
    found.set(key.toLowerCase(), quoted === undefined ? token : unquoted(quoted));
    at += whole.length;
  }
  const name = found.get('name');
  const encoded = found.get('filename*');
  const filename = found.get('filename') ?? (encoded && decoded(encoded));
  // A file whose name cannot be read is no text.
  if (name === undefined || (filename === undefined && encoded !== undefined)) return undefined;
  return filename === undefined ? { name } : { name, filename };
}

/** A quote after a backslash ends the text where a parameter could end: browsers write `"C:\"` of a name that ends so. */
const parameter =
  /[ \t]*;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:\\"(?![ \t]*(?:;|$))|[^"])*)"|([^\s";]+))[ \t]*/y;

const unquoted = (text: string): string =>
  (text.includes('\\"') ? text.replaceAll(/\\(["\\])/g, '$1') : text).replaceAll(
    /%(?:22|0D|0A)/gi,
    decodeURIComponent,
  );

/** RFC 8187, 3.2. */
function decoded(text: string): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
