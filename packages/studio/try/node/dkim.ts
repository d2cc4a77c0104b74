/** Stands in for transports/mail/dkim_signature.ts in a browser: what signs with RSA there answers later, and has other keys. */
import type { Dkim } from '@form-relay/relay/base';

/** Where the signature stands, and in whose name. */
export const signatureOf = async (_: unknown, { domain, selector }: Dkim): Promise<string> =>
  `DKIM-Signature: v=1; d=${domain}; s=${selector}; b=(the relay signs here, with your key)\r\n`;
