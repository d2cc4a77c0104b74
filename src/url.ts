/**
 * The URL that a text is, or `undefined` when it is none. Not by `URL.canParse`: once V8 has optimized it, Node 20 and
 * 22 take no host beyond ASCII any more, such as `bücher.example`.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
