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

/** Whether a `Host` names this machine. Names under `.localhost` do not: some systems ask the DNS for them (DNS rebinding). */
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

/** The clients of CONFIG_DIR, of which a process has one. Their forms are `client/form`; any other form may have a slash, too. */
export const clients = new Set<string>();

/** The client of a form; empty for other forms. */
export function clientOf(form: string): string {
  const client = form.slice(0, Math.max(0, form.indexOf('/')));
  return clients.has(client) ? client : '';
}

/** A form's name in an address. That of a client's form has two segments: `client/form`. */
export function formSegments(name: string): string {
  const client = clientOf(name);
  return client ? `${client}/${encodeURIComponent(name.slice(client.length + 1))}` : encodeURIComponent(name);
}

/** A path that a link may begin with, without the slash at its end; empty for `/`. `undefined` if it could lead elsewhere. */
export function mountPathIn(path: string): string | undefined {
  const mountPath = path.replace(/\/$/, '');
  const isSound = /^(?:\/[\w.~%$+!*'()@:=-]+)*$/.test(mountPath);
  return isSound && !/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(mountPath) ? mountPath : undefined;
}

/** The path in PUBLIC_URL; empty where it has none. */
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

/** Names that belong to nobody (RFC 2606, RFC 6761). `localhost` is reserved, too, and this machine. */
const reservedName = /(?:^|\.)(?:invalid|test|example|example\.(?:com|net|org))\.?$/i;

/** The first reserved host in an address, a URL, or a list of mail addresses. */
export const reservedHostIn = (address: string): string | undefined =>
  (address.match(/(?<=^|\/\/|@)[^\s@/:,;<>"?#]+/g) ?? []).find((host) => reservedName.test(host));

/** Programs that check mails wrap links, and Outlook long stopped at 2,083 characters. */
export const mostLinkCharacters = 2_000;

/** A proxy may strip the mount path or not. The mount paths `/api` and `/f` begin like the relay's own paths. */
export function withoutMount(path: string, mountPath: string): string {
  if (!path.startsWith(`${mountPath}/`)) return path;
  const rest = path.slice(mountPath.length);
  return ownPath.test(path) && !ownPath.test(rest) ? path : rest;
}

const ownPath = /^\/(api\/v1\/|f\/|$|healthz$|readyz$)/;
