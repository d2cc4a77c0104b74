/** The cookies of an inbox at this address. */
export function cookiesOf(url: URL) {
  const isSecure = url.protocol === 'https:';
  // Cookies ignore ports, and http:// is for tests on this machine, which may run several.
  const nameOf = (name: string) => (isSecure ? `__Host-${name}` : `${name}-${url.port}`);
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: (name: 'inbox' | 'sign-in', header = ''): string | undefined => {
      const start = `${nameOf(name)}=`;
      const found = header
        .split(';')
        .map((one) => one.trim())
        .find((one) => one.startsWith(start));
      return found?.slice(start.length);
    },
    write: (name: 'inbox' | 'sign-in', value: string, forMs: number): string =>
      `${nameOf(name)}=${value}; Max-Age=${Math.floor(forMs / 1000)}; ${attributes}`,
    clear: (name: 'inbox' | 'sign-in'): string => `${nameOf(name)}=; Max-Age=0; ${attributes}`,
  };
}
