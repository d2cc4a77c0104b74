/** What a part of `multipart/form-data` says of itself. */
export interface Disposition {
  /** The field's. */
  readonly name: string;
  /** Of files alone; empty where none was chosen. */
  readonly filename?: string;
}

/**
 * Reads `form-data; name="cv"; filename="cv.pdf"`. Browsers write `%22`, `%0D` and `%0A` for what cannot stand between
 * quotes, and a backslash as it is (HTML: multipart/form-data encoding algorithm); other clients write `\"`. `filename*`
 * counts only alone, since browsers never send it (RFC 7578, 4.2). `undefined` when malformed.
 */
export function readDisposition(header: string): Disposition | undefined {
  const found = new Map<string, string>();
  let at = /^form-data\s*(?=;)/i.exec(header)?.[0].length;
  while (at !== undefined && at < header.length) {
    parameter.lastIndex = at;
    const [whole = '', key = '', quoted, token = ''] = parameter.exec(header) ?? [];
    const name = key.toLowerCase();
    if (whole === '' || found.has(name)) return undefined;
    found.set(name, quoted === undefined ? token : unquoted(quoted));
    at += whole.length;
  }
  const name = found.get('name');
  const filename = found.get('filename') ?? extended(found.get('filename*'));
  // A file whose name cannot be read is no text.
  if (name === undefined || (filename === undefined && found.has('filename*'))) return undefined;
  return filename === undefined ? { name } : { name, filename };
}

/** A quote after a backslash ends the text where a parameter could end: browsers write `"C:\"` of a name that ends so. */
const parameter = /\s*;\s*([\w!#$&+.^`|~%'-]+\*?)\s*=\s*(?:"((?:\\"(?!\s*(?:;|$))|[^"])*)"|([^\s";]+))\s*/y;

const unquoted = (text: string): string =>
  (text.includes('\\"') ? text.replaceAll(/\\(["\\])/g, '$1') : text).replaceAll(
    /%(?:22|0D|0A)/gi,
    decodeURIComponent,
  );

/** RFC 8187, 3.2. */
function extended(text = ''): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
