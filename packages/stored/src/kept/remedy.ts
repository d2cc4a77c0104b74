/** Why a queued delivery failed, in a few words, and what its owner can do, based on the stored reason. */
import { ClientError } from '@form-relay/base/client_error';
import { connectionRemedy } from '@form-relay/clients/probes/connection';
import { smtpRemedy } from '@form-relay/clients/probes/smtp_remedy';
import type { FailureReason } from '@form-relay/queue/index';

export interface Remedy {
  /** Without a period at the end: `Mailbox full at mx.example.org`. */
  readonly says: string;
  /** A sentence without its period. */
  readonly remedy: string;
}

/** @param server Where the output delivers, such as `mx.example.org:25`; not set if the output was removed from the config. */
export function remedyOf({ code, words }: FailureReason, server: string | undefined): Remedy {
  const [, host = server ?? '', port = '443'] = /^(.+?)(?::(\d+))?$/.exec(server ?? '') ?? [];
  const at = host === '' ? '' : ` at ${host}`;
  const it = host || 'the server';
  const [, reply] = /: (\d{3}(?: \d\.\d+\.\d+)?)\b/.exec(words) ?? [];
  if (reply !== undefined) {
    if (code === 'login_refused')
      return { says: `Login refused${at}`, remedy: loginRemedy(words, reply, it, port) };
    const [says, remedy] =
      Object.entries(replies).find(([pattern]) => new RegExp(pattern).test(reply))?.[1] ?? [];
    if (says) return { says: says + at, remedy: remedy?.replace('HOST', it) ?? '' };
  }
  const [, status] = /\banswered (\d{3})\b/.exec(words) ?? [];
  const ofStatus = Object.entries(statuses).find(([pattern]) => new RegExp(pattern).test(status ?? ''))?.[1];
  if (status && ofStatus) return { says: `${it} answered ${status}`, remedy: ofStatus.replace('HOST', it) };
  if (code.startsWith('held '))
    return { says: sentence(words), remedy: 'The relay delivers these submissions after that' };
  const short = connections[code];
  if (short) return { says: short + at, remedy: plain(connectionRemedy(code, it, Number(port))) };
  const own = others[code];
  if (words === '')
    return { says: 'Not tried yet', remedy: 'The relay retries these deliveries automatically' };
  return {
    says: sentence(words) + (own === undefined ? at : ''),
    remedy: own ?? 'Check the output with relay doctor',
  };
}

/** Restores the failure as far as `smtpRemedy` needs it. */
function loginRemedy(words: string, reply: string, host: string, port: string): string {
  const retryAfterMs = reply.startsWith('4') ? 0 : undefined;
  const error = new ClientError(words, {
    code: 'login_refused',
    params: { reply, isToken: false },
    retryAfterMs,
  });
  return plain(smtpRemedy(error, { host, port: Number(port), tls: undefined }, ''));
}

const plain = (sentence: string) => sentence.replace(/\.$/, '');

export const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

const ask = 'Ask the operator of HOST whether it accepts mail from this machine';

/** Short texts and remedies by reply and enhanced code (RFC 3463). */
const replies: Readonly<Record<string, readonly [says: string, remedy: string]>> = {
  '\\d\\.2\\.2$|^552$': ['Mailbox full', 'Ask the recipient to free up space'],
  '\\d\\.1\\.(?:1|2|3|10)$|^55[03]$': ['No such mailbox', 'Correct the address in the config'],
  '\\d\\.2\\.1$': [
    'Mailbox closed',
    'Ask the recipient to unlock the mailbox, or change the address in the config',
  ],
  '\\d\\.(?:2\\.3|3\\.4)$': ['Mail too large', 'Attach fewer files, or allow fewer in the form'],
  '\\d\\.7\\.\\d+$': ['Mail rejected by a rule', ask],
  '^4': ['Mail deferred', `This may be temporary; if not, ${ask.charAt(0).toLowerCase()}${ask.slice(1)}`],
  '^5': ['Mail rejected', ask],
};

const statuses: Readonly<Record<string, string>> = {
  '^40[137]$': 'Check the key, token or password of the output',
  '^(?:404|405|410|3\\d\\d)$': 'Check the address of the output: the server does not know it',
  '^413$': 'Lower the file size limit of the form, or raise the limit at HOST',
  '^429$': 'HOST limits the rate: wait, or raise the limit there',
  '^4\\d\\d$': 'Check `mapping` and `body` of the output: HOST rejects their data',
  '^5\\d\\d$': 'Ask the operator of HOST: the server has an error',
};

/** Short texts for connection failures, whose own messages are for programmers. */
const connections: Readonly<Record<string, string>> = {
  unresolved: 'Name not found',
  nobody_listens: 'Nothing listens',
  unreachable: 'Not reachable',
  connection_failed: 'No connection',
  timed_out: 'No response in time',
  closed: 'Connection closed early',
  tls_failed: 'TLS failed',
  certificate_expired: 'Certificate expired',
  certificate_of_another_name: 'Certificate for another name',
  certificate_untrusted: 'Certificate not trusted',
};

const secret = 'Start the inbox and the relay with the same KEEP_SECRET';

const others: Readonly<Record<string, string>> = {
  form_gone: 'Add the form to the config again, or delete these deliveries',
  output_gone: 'Add the output to the form again, or choose another with relay kept retry --output',
  output_declines: 'Change `when` or `aside` of the output, or delete these deliveries',
  other_secret: secret,
  no_secret: secret,
  unencrypted: 'Find out who can write to the store; relay kept show prints the content',
  hold_lapsed: 'Use Deliver now to send these submissions anyway, or delete them',
  damaged: 'Run relay kept show to see what is left',
  altered: 'Find out who can write to the store; relay kept show prints the content',
  folder_full: 'Free space on the disk',
  folder_missing: 'Create the folder, or mount its disk',
  folder_denied: "Allow the relay's user to write to the folder",
  folder_read_only: 'Make the disk of the folder writable',
  address_unset: 'Set the variable where the relay runs',
  mail_from_unset: 'Set the variable where the relay runs',
};
