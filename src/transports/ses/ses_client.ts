import { ClientError, failed } from '../../client_error.ts';
import type { Mail, Mailbox, SesClient } from '../../effects.ts';
import { addressOf } from '../../mailbox.ts';
import { type Aws, awsAddress } from '../aws/account.ts';
import { errorName } from '../aws/error_name.ts';
import { retryOf, sendSigned } from '../aws/send_signed.ts';
import type { NodeAnswer } from '../http/node_client.ts';

/** How many recipients SES takes in one message. */
const mostRecipients = 50;

/** SES v2 SendEmail. */
export function createSesClient(aws: Aws): SesClient {
  return async ({ timeoutMs, ...mail }) => {
    const { to, cc = [], bcc = [] } = mail;
    const found = to.length + cc.length + bcc.length;
    if (found > mostRecipients) throw failed('ses_too_many_recipients', { most: mostRecipients, found });
    const body = JSON.stringify({
      ...(isSimple(mail) ? simpleContent(mail) : await rawContent(mail)),
      Destination: {
        ToAddresses: to.map(addressOf),
        CcAddresses: cc.length > 0 ? cc.map(addressOf) : undefined,
        BccAddresses: bcc.length > 0 ? bcc.map(addressOf) : undefined,
      },
    });
    const request = (region: string) => {
      const base = aws.account.endpoint('SESV2') ?? awsAddress('email', region);
      const url = new URL(`${base}/v2/email/outbound-emails`);
      return { method: 'POST', url, headers: { 'content-type': 'application/json' }, body } as const;
    };
    const sending = { service: 'ses', request, timeoutMs, limitBytes: 65_536 } as const;
    const answer = await sendSigned(aws, sending).catch(forGood);
    if (answer.status === 200) return;
    const name = errorName(answer);
    // Any other 5xx may have come after SES took it.
    const isUntaken = answer.status < 500 || answer.status === 503;
    throw failed('ses_status', { status: answer.status, name }, isUntaken ? retryOf(answer) : {});
  };
}

/** Plain text for bare addresses: SES writes the rest. */
const isSimple = ({ to, cc = [], replyTo = '', html, headers, isAutoReply }: Mail): boolean =>
  html === undefined &&
  headers === undefined &&
  !isAutoReply &&
  [...to, ...cc, replyTo].every((mailbox) => typeof mailbox === 'string');

const utf8 = (data: string) => ({ Data: data, Charset: 'UTF-8' });

const simpleContent = ({ from, replyTo, subject, text }: Mail) => ({
  FromEmailAddress: fromHeader(from),
  ReplyToAddresses: replyTo === undefined ? undefined : [replyTo],
  Content: {
    Simple: {
      Subject: utf8(subject),
      Body: { Text: utf8(text) },
      // RFC 3834: nobody is there to read an automatic reply.
      Headers: [{ Name: 'Auto-Submitted', Value: 'auto-generated' }],
    },
  },
});

/** Written as for SMTP. SES puts a `Message-ID` and a `Date` of its own in place of these. */
async function rawContent(mail: Mail) {
  const { composeMail } = await import('../mail/compose.ts');
  const { bytes } = await composeMail(mail);
  return { Content: { Raw: { Data: bytes.toString('base64') } } };
}

/** SES knows no idempotency key: where it may have got the mail, another try may send a second one. */
function forGood(error: unknown): never {
  if (!(error instanceof ClientError) || error.isUnsent) throw error;
  const { message, code, params } = error;
  throw new ClientError(message, { code, params });
}

/** The sender, in the 7-bit ASCII that SES wants: a name as a quoted string (RFC 5322), or as encoded words (RFC 2047). */
function fromHeader(from: Mailbox): string {
  if (typeof from === 'string' || /^[ -~]*$/.test(from.name)) {
    return typeof from === 'string' ? from : `"${from.name.replaceAll(/["\\]/g, '\\$&')}" <${from.address}>`;
  }
  return `${encodedWords(from.name)} <${from.address}>`;
}

/** Of 11 characters each, which are at most 44 bytes: an encoded word has 75 characters at most. */
const encodedWords = (text: string) =>
  (text.match(/.{1,11}/gsu) ?? [])
    .map((part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`)
    .join(' ');

/** GETs from the SES v2 API. Rejects with a `ClientError` when no answer came. */
export type AskSes = (path: string, timeoutMs: number) => Promise<SesAnswer>;

export interface SesAnswer {
  readonly status: number;
  /** Such as `NotFoundException`; empty on success. */
  readonly error: string;
  /** The answer's JSON; empty when it is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** SES v2 GetAccount, GetEmailIdentity and their like. Each path is asked once: SES answers few of them a second. */
export function createSesReader(aws: Aws): AskSes {
  const answers = new Map<string, Promise<SesAnswer>>();
  const ask: AskSes = async (path, timeoutMs) => {
    const request = (region: string) => {
      const base = aws.account.endpoint('SESV2') ?? awsAddress('email', region);
      return { method: 'GET', url: new URL(`${base}/v2/email${path}`), headers: {}, body: '' } as const;
    };
    const answer = await sendSigned(aws, { service: 'ses', request, timeoutMs, limitBytes: 65_536 });
    return { status: answer.status, error: errorName(answer), body: jsonOf(answer) };
  };
  return (path, timeoutMs) => {
    const answer = answers.get(path) ?? ask(path, timeoutMs);
    answers.set(path, answer);
    return answer;
  };
}

function jsonOf({ body }: NodeAnswer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {}
  return {};
}
