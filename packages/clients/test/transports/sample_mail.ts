import type { SmtpMessage } from '../../../core/src/services.ts';

/** A mail to a server on this machine; only the port is missing. */
export const sampleMail = {
  host: '127.0.0.1',
  tls: 'opportunistic',
  from: 'relay@forms.example',
  to: ['office@firm.example'],
  subject: 'Contact',
  text: 'email=a@b.example\nname=Ann\n',
  messageId: 'b7-0@forms.example',
  date: Date.UTC(2026, 1, 3, 4, 5, 6),
  timeoutMs: 5_000,
} satisfies Partial<SmtpMessage>;
