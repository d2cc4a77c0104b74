/** Parses a URL; `undefined` if malformed. Avoids `URL.canParse`, which some versions of Node get wrong beyond ASCII. */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Whether a host is this machine, so that requests cross no network (RFC 6761, 6.3). */
export const isLoopback = (host: string): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|::1|\[::1\])$/i.test(host);

/**
 * Whether a `Host` names this machine. Excludes names under `.localhost`, because some systems ask the DNS
 * for them (DNS rebinding).
 */
export function isThisMachine(host: string): boolean {
  if (!/^[\w.:[\]-]+$/.test(host)) return false;
  const { hostname = '' } = parseUrl(`http://${host}`) ?? {};
  return isLoopback(hostname) && !hostname.endsWith('.localhost');
}

export function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/**
 * The clients of CONFIG_DIR; there is one CONFIG_DIR per process. A client's forms are named `client/form`;
 * any other form's name may contain a slash, too.
 */
export const clients = new Set<string>();

/** The client that owns a form; empty for other forms. */
export function clientOf(form: string): string {
  const client = form.slice(0, Math.max(0, form.indexOf('/')));
  return clients.has(client) ? client : '';
}

/** A form's name in a URL. A client's form has two segments: `client/form`. */
export function formSegments(name: string): string {
  const client = clientOf(name);
  return client ? `${client}/${encodeURIComponent(name.slice(client.length + 1))}` : encodeURIComponent(name);
}

/** The mount path of a link, without a trailing slash; empty for `/`. `undefined` if the path could lead to another site. */
export function mountPathIn(path: string): string | undefined {
  const mountPath = path.replace(/\/$/, '');
  const isSound = /^(?:\/[\w.~%$+!*'()@:=-]+)*$/.test(mountPath);
  return isSound && !/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(mountPath) ? mountPath : undefined;
}

/** The path in PUBLIC_URL; empty if there is none. */
export function publicPathOf(url = ''): string {
  const at = url.indexOf('/', url.indexOf('//') + 2);
  return at < 0 ? '' : url.slice(at);
}

/** A path with token-like segments masked: knowing a webhook's URL is enough to write to it. */
export const pathWithoutTokens = (path: string): string =>
  path
    .split('/')
    .map((segment) => (/^(?:[A-Za-z0-9]{20,}|[\w-]{40,})$/.test(segment) ? '***' : segment))
    .join('/');

/** Reserved names (RFC 2606, RFC 6761). `localhost` is reserved, too, but means this machine. */
const reservedName = /(?:^|\.)(?:invalid|test|example|example\.(?:com|net|org))\.?$/i;

/** The first reserved host in an address, a URL, or a list of mail addresses. */
export const reservedHostIn = (address: string): string | undefined =>
  (address.match(/(?<=^|\/\/|@)[^\s@/:,;<>"?#]+/g) ?? []).find((host) => reservedName.test(host));

/** The maximum length of a link: mail scanners wrap links in longer ones, and Outlook long stopped at 2,083 characters. */
export const mostLinkCharacters = 2_000;

/** A proxy may or may not strip the mount path. The mount paths `/api` and `/f` start like the relay's own paths. */
export function withoutMount(path: string, mountPath: string): string {
  if (!path.startsWith(`${mountPath}/`)) return path;
  const rest = path.slice(mountPath.length);
  return ownPath.test(path) && !ownPath.test(rest) ? path : rest;
}

const ownPath = /^\/(api\/v1\/|f\/|$|healthz$|readyz$)/;
