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

/**
 * Whether a host is this machine, so that what goes there crosses no network: by address, or by a name that is kept for
 * it (RFC 6761, 6.3). An IPv6 address may have its brackets.
 */
export const isLoopback = (host: string): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|::1|\[::1\])$/i.test(host);

/** A path without what looks like a token: anyone who knows a webhook's address can write to it. */
export const pathWithoutTokens = (path: string): string =>
  path
    .split('/')
    .map((segment) => (/^(?:[A-Za-z0-9]{20,}|[\w-]{40,})$/.test(segment) ? '***' : segment))
    .join('/');

/** A segment of a path, decoded; `undefined` when that cannot be. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
