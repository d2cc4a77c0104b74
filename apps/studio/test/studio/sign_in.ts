/** An owner's browser at the address that the studio printed. */
export interface SignedIn {
  readonly origin: string;
  readonly cookie: string;
  /** Asks with its cookie. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** @param line Holds the address. */
export async function signIn(line: string): Promise<SignedIn> {
  const [address = ''] = /http:\S+/.exec(line) ?? [];
  const { origin } = new URL(address);
  const { headers } = await fetch(address, { redirect: 'manual' });
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(origin + path, { ...init, headers: { cookie, ...init.headers } });
  return { origin, cookie, ask };
}
