import { failed } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import { parseUrl } from '../../base/url.ts';

/** The address that a variable holds (D67). Throws a `ClientError` that names the variable, and nothing of what it holds. */
export function addressIn(
  name: string,
  env: Effects['env'],
): { readonly url: URL; readonly addressFrom: string } {
  const written = env(name)?.trim();
  if (!written) throw failed('address_unset', { name });
  // Parsers leave out line breaks and tabs: two addresses would become one, of which nobody knows.
  const url = /[\t\n\r]/.test(written) ? undefined : parseUrl(written);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.username !== '' || url.password !== '')
    throw failed('address_malformed', { name });
  return { url, addressFrom: name };
}
