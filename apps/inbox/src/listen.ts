/** `127.0.0.1:8090`, `[::1]:8090` or `:8090`, which is all addresses; `undefined` for anything else. */
export function readListen(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, ipv6, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]*)):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  return port <= 65_535 ? { host: ipv6 ?? (name || '::'), port } : undefined;
}
