/** Reads what an enhanced status code says of an address (RFC 3463; IANA, SMTP Enhanced Status Codes). */
import type { BounceKind } from '../../base/bounces.ts';

/**
 * There is no such mailbox or domain, it has moved, takes no mail at all (RFC 7505), or is disabled. 5.4.4 is what Postfix says of a
 * domain that does not exist.
 */
const hardCode = /^5\.(1\.(1|2|3|6|10)|2\.1|4\.4)$/;

/** Not the address is to blame: a full mailbox, a mail that is too large, policy and security. */
const notTheAddress = /^(4\.|5\.(2\.[23]|3\.4|7\.))/;

/** @param saysHard Whether the provider says so, whose word counts unless the code says more. */
export const kindOf = (saysHard: boolean, code: string | undefined): Exclude<BounceKind, 'complaint'> => {
  if (code !== undefined && hardCode.test(code)) return 'hard';
  return saysHard && !(code !== undefined && notTheAddress.test(code)) ? 'hard' : 'soft';
};

/** The first enhanced status code of the texts; a vague one, such as 5.0.0, only if no other is there. */
export function codeIn(...texts: readonly unknown[]): string | undefined {
  const codes = texts.flatMap((text) =>
    typeof text === 'string' ? (firstCode.exec(text.slice(0, 1_000)) ?? []) : [],
  );
  return codes.find((code) => !/^\d\.0\.0$/.test(code)) ?? codes[0];
}

const firstCode = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/;

/** The request id in a `Message-ID` of the relay's own (`<id>-<place>@…`). */
export const requestIdIn = (messageId: unknown): string | undefined =>
  typeof messageId === 'string'
    ? /^<?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-[a-z\d-]{1,40}@/.exec(messageId.trim())?.[1]
    : undefined;
