import type net from 'node:net';
import type tls from 'node:tls';

/** When a TLS connection's certificate ends, in milliseconds since the epoch; `undefined` without TLS. */
export function certificateUntil(socket: net.Socket): number | undefined {
  const { getPeerCertificate } = socket as Partial<tls.TLSSocket>;
  const until = getPeerCertificate?.call(socket as tls.TLSSocket).valid_to;
  return until === undefined ? undefined : Date.parse(until);
}

export const endsSoon = (certificateUntil: number | undefined, now: number): boolean =>
  certificateUntil !== undefined && certificateUntil - now < soonMs;

/** Certificates are renewed 30 days before their end, as a rule: one with less than this left is forgotten. */
const soonMs = 14 * 86_400_000;

/** `2031-01-31`. */
export const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
