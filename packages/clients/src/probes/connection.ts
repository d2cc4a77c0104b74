import type { Mailbox } from '@form-relay/base/address';
import type { Finding } from '@form-relay/base/finding';
import type { Addressed } from '@form-relay/core/outputs/http';
import type { Template } from '@form-relay/schema/template';
import type { OAuth2 } from '../oauth2.ts';

/** Checks whether deliveries would succeed, without delivering anything. */
export interface Probe<T> {
  /** The key of a target's server, so that each server is examined once. */
  serverOf(target: T): string;
  /** Resolves with all findings, including expected failures. */
  examine(target: T, timeoutMs: number): Promise<readonly Finding[]>;
}

// The keys of an output that say where it delivers.

export interface HttpTarget extends Addressed {
  /** The destination for people, such as `https://crm.example.com/leads`, without credentials. */
  readonly target: string;
  readonly oauth2?: OAuth2 | undefined;
}

export interface SmtpTarget {
  readonly host: string;
  readonly port: number;
  readonly tls?: 'opportunistic' | 'required' | 'implicit' | undefined;
  readonly username?: Template | undefined;
  readonly password?: Template | undefined;
  readonly auth?: 'plain' | 'login' | 'oauth2' | undefined;
  readonly oauth2?: OAuth2 | undefined;
}

export interface SesTarget {
  readonly from?: Mailbox | undefined;
  /** The sender of MAIL_FROM_ADDRESS. */
  readonly sender?: Mailbox | undefined;
}

/** The owner's remedy for a failed connection. */
export function connectionRemedy(code: string, host: string, port: number): string {
  switch (code) {
    case 'unresolved':
      return `Check the spelling of ${host}, and that DNS works on this machine.`;
    case 'nobody_listens':
      return `Port ${port} of ${host} is closed: check the port, and that the server is running.`;
    case 'timed_out':
    case 'unreachable': {
      const blocked = mailPorts.includes(port) ? ': hosting providers often block port 25' : '';
      return `A firewall may block the connection${blocked}. Or port ${port} uses another protocol.`;
    }
    case 'certificate_expired':
      return `Renew the certificate of ${host}.`;
    case 'certificate_of_another_name':
      return 'The certificate is for another name: use a name in the certificate.';
    case 'certificate_untrusted':
      return 'If the authority is your own, set NODE_EXTRA_CA_CERTS to its certificate where the relay runs.';
    case 'tls_failed':
      return `Check that port ${port} of ${host} uses TLS from the start.`;
    default:
      return `Check ${host} and its port ${port}.`;
  }
}

const mailPorts = [25, 465, 587];

/** Certificates are usually renewed 30 days before they expire. If less than this is left, the renewal was probably forgotten. */
const soonMs = 14 * 86_400_000;

/** @param certificateUntil Milliseconds since the epoch; `undefined` if there is no certificate. */
export const endsSoon = (certificateUntil: number | undefined, now: number): boolean =>
  certificateUntil !== undefined && certificateUntil - now < soonMs;

/** A day such as `2031-01-31`. */
export const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
