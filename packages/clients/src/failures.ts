import { failures, outputWords } from '@form-relay/base/client_error';

/** The step that was expected next when the connection closed. */
const awaited = {
  answer: 'the server responded',
  end_of_answer: 'the response was complete',
  acceptance: 'the server accepted the message',
  greeting: 'the server greeted',
  ehlo: 'the server answered EHLO',
  tls: 'TLS began',
  login: 'the server responded to the login',
};

export type Awaited = keyof typeof awaited;

const before = (next: Awaited | undefined) => (next ? ` before ${awaited[next]}` : '');

export interface TimedOut {
  readonly timeoutMs: number;
  readonly before?: Awaited | undefined;
  /** Whether the mail server may be waiting for TLS. */
  readonly mayWantTls?: boolean;
}

type Call = { readonly call: string; readonly codes: readonly string[] };
const ofCall = ({ call, codes }: Call) => `${call} ${codes.join(', ')}`;
const ofCertificate = ({ code }: { readonly code: string }) => `certificate not trusted: ${code}`;

/** Failures of connections and of HTTP. */
export const connectionWords = {
  client_closed: 'the client is closed',
  aborted: 'the request was aborted',
  unresolved: ({ code }: { code: string }) => `could not resolve the host: ${code}`,
  nobody_listens: ofCall,
  unreachable: ofCall,
  connection_failed: ofCall,
  /** The timeout of the whole exchange. */
  timed_out: ({ timeoutMs, before: next, mayWantTls = false }: TimedOut) =>
    `no complete response within ${timeoutMs} ms${next ? `: time was up${before(next)}` : ''}${mayWantTls ? '; if this port uses TLS from the start, set `tls: implicit`' : ''}`,
  closed: ({ before: next, reply }: { before?: Awaited | undefined; reply?: string }) =>
    `the connection closed${before(next)}${reply ? `: ${reply}` : ''}`,
  tls_failed: ({ code }: { code: string }) => `TLS failed: ${code}`,
  certificate_expired: ofCertificate,
  certificate_of_another_name: ofCertificate,
  certificate_untrusted: ofCertificate,
  not_http: 'the response is not HTTP',
  redirected_inside:
    'the redirect goes to a link-local address, or from the internet to a private network or this machine; nothing was sent there',
  address_inside: 'the address belongs to a private network or this machine; nothing was sent there',
  answered_unasked: 'the server responded before the request was sent',
  answered_early: outputWords.answered_early,
  unexpected_1xx: 'the response is an unexpected 100 or 101',
  too_many_1xx: ({ most }: { most: number }) =>
    `the server sent more than ${most} interim responses (1xx), but no final one`,
  headers_too_long: "the response's headers are too long",
  request_malformed: ({ reason }: { reason: string }) => `the request cannot be sent: ${reason}`,
};

/** Failures of mails before they are sent. */
export const mailWords = {
  message_too_large: ({ size, most }: { size: number; most: number }) =>
    `the message is too large for the server: ${Math.ceil(size / 1_024)} KB, and the limit is ${Math.floor(most / 1_024)} KB`,
  no_smtputf8:
    'the server does not support non-ASCII addresses (SMTPUTF8), and the mail has no other recipient',
};

export const failed = failures({ ...connectionWords, ...mailWords });
