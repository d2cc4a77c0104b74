/** A result of `relay doctor`. Never holds a secret or a rendered credential. */
export interface Diagnosis {
  /** The examined thing: `smtp.example.com:587`, `SMTP_PASSWORD`. */
  readonly subject: string;
  readonly verdict: 'ok' | 'warning' | 'failure';
  /** The result, in words. */
  readonly says: string;
  /** The remedy. */
  readonly remedy?: string;
  /** The record that is missing in the DNS, or wrong there, as it should be. */
  readonly record?: DnsRecord;
}

export interface DnsRecord {
  readonly name: string;
  readonly type: 'TXT';
  readonly value: string;
}

export const ok = (subject: string, says: string): Diagnosis => ({ subject, verdict: 'ok', says });

export const warning = (subject: string, says: string, remedy: string): Diagnosis => ({
  subject,
  verdict: 'warning',
  says,
  remedy,
});

export const failure = (subject: string, says: string, remedy: string): Diagnosis => ({
  subject,
  verdict: 'failure',
  says,
  remedy,
});
