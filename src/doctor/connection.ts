/** What the examinations say about connections. */

const dayMs = 86_400_000;

/** Certificates are renewed 30 days before their end, as a rule: one with less than this left is forgotten. */
const soonMs = 14 * dayMs;

export const date = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const endsSoon = (certificateUntil: number | undefined, now: number): boolean =>
  certificateUntil !== undefined && certificateUntil - now < soonMs;

/** Whether a host is this machine: what goes there crosses no network. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

/** What to do about a connection that failed, by the client's reason. */
export function connectionRemedy(reason: string, host: string, port: number): string {
  if (reason.startsWith('could not resolve')) {
    return `Check the spelling of ${host}, and that this machine can ask the DNS.`;
  }
  if (reason.includes('ECONNREFUSED')) {
    return `Nothing listens on port ${port} of ${host}: check the port, and that the server runs.`;
  }
  if (reason.startsWith('no complete answer') || /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/.test(reason)) {
    const firewall = 'A firewall may be in between: hosting providers often block port 25';
    return `${firewall}. Or port ${port} speaks something else.`;
  }
  if (/CERT_HAS_EXPIRED/.test(reason)) return `Renew the certificate of ${host}.`;
  if (/ALTNAME/.test(reason)) return `The certificate is for another name: use the name that stands in it.`;
  if (reason.startsWith('certificate not trusted')) {
    return 'If the authority is your own, name its certificate in NODE_EXTRA_CA_CERTS where the relay runs.';
  }
  if (reason.startsWith('TLS failed'))
    return `Check that port ${port} of ${host} speaks TLS from the first byte.`;
  return `Check ${host} and its port ${port}.`;
}
