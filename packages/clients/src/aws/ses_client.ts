import { addressOf, type Mailbox } from '@form-relay/base/address';
import { ClientError } from '@form-relay/base/client_error';
import { jsonObject } from '@form-relay/base/json';
import type { Aws, Mail, SesClient } from '@form-relay/core/services';
import { inAscii } from '../mail/international.ts';
import { serviceAddress } from './account.ts';
import { errorName, failed, retryOf, sendSigned } from './sign.ts';

/** SES's limit for one message. */
const mostRecipients = 50;

/** Sends mails with SES v2 SendEmail. */
export function createSesClient(aws: Aws): SesClient {
  return async ({ timeoutMs, ...written }) => {
    // SES accepts only ASCII before the @.
    const { mail, warning } = inAscii(written);
    const { to, cc = [], bcc = [] } = mail;
    const found = to.length + cc.length + bcc.length;
    if (found > mostRecipients) throw failed('ses_too_many_recipients', { most: mostRecipients, found });
    const content = await contentOf(mail, { Destination: destinationOf(mail) });
    const headers = { 'content-type': 'application/json' };
    const request = (region: string) =>
      ({
        method: 'POST',
        url: urlOf(aws, region, '/outbound-emails'),
        headers,
        body: '',
        ...content,
      }) as const;
    const answer = await sendSigned(aws, { service: 'ses', request, timeoutMs }).catch(forGood);
    if (answer.status === 200) return { ...answer, warning };
    const name = errorName(answer);
    // Any other 5xx may come after SES has accepted the mail.
    const isUntaken = answer.status < 500 || answer.status === 503;
    throw failed('ses_status', { status: answer.status, name }, isUntaken ? retryOf(answer) : {});
  };
}

const urlOf = ({ account }: Aws, region: string, path: string): URL =>
  new URL(`${serviceAddress(account, 'SESV2', region)}/v2/email${path}`);

/** SES composes plain-text mails itself. The code that composes all others is loaded on demand. */
async function contentOf(mail: Mail, about: object) {
  if (isSimple(mail)) return { body: JSON.stringify({ ...simpleContent(mail), ...about }) };
  const { sesRequestWithMime } = await import('./ses_mime.ts');
  return sesRequestWithMime(mail, about);
}

/** SES has no idempotency keys: if it may have the mail, a retry could send the mail twice. */
function forGood(error: unknown): never {
  if (!(error instanceof ClientError) || error.isUnsent) throw error;
  const { message, code, params } = error;
  throw new ClientError(message, { code, params });
}

/** Sends GET requests to the SES v2 API. Rejects with a `ClientError` if there is no response. */
export type AskSes = (path: string, timeoutMs: number) => Promise<SesAnswer>;

export interface SesAnswer {
  readonly status: number;
  /** For example `NotFoundException`; empty on success. */
  readonly error: string;
  /** The response's JSON, or `{}` if there is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

const readers = new WeakMap<Aws, AskSes>();

/** Reads SES v2 GetAccount, GetEmailIdentity and the like. Requests each path once, because SES limits the rate. */
export function sesReader(aws: Aws): AskSes {
  const known = readers.get(aws);
  if (known) return known;
  const answers = new Map<string, Promise<SesAnswer>>();
  const ask: AskSes = async (path, timeoutMs) => {
    const request = (region: string) =>
      ({ method: 'GET', url: urlOf(aws, region, path), headers: {}, body: '' }) as const;
    const answer = await sendSigned(aws, { service: 'ses', request, timeoutMs });
    const body = jsonObject(answer.body.toString()) ?? {};
    return { status: answer.status, error: errorName(answer), body };
  };
  const reader: AskSes = (path, timeoutMs) => {
    const answer = answers.get(path) ?? ask(path, timeoutMs);
    answers.set(path, answer);
    return answer;
  };
  readers.set(aws, reader);
  return reader;
}

const destinationOf = ({ to, cc = [], bcc = [] }: Mail) => ({
  ToAddresses: to.map(addressOf),
  CcAddresses: cc.length > 0 ? cc.map(addressOf) : undefined,
  BccAddresses: bcc.length > 0 ? bcc.map(addressOf) : undefined,
});

/** Whether SES can compose the mail itself: plain text for bare addresses. */
const isSimple = ({ to, cc = [], replyTo = '', html, attachments, headers, isAutoReply }: Mail): boolean =>
  html === undefined &&
  !attachments?.length &&
  headers === undefined &&
  !isAutoReply &&
  [...to, ...cc, replyTo].every((mailbox) => typeof mailbox === 'string');

const utf8 = (data: string) => ({ Data: data, Charset: 'UTF-8' });

const simpleContent = ({ from, replyTo, subject, text }: Mail) => ({
  FromEmailAddress: mailboxHeader(from),
  ReplyToAddresses: replyTo === undefined ? undefined : [addressOf(replyTo)],
  Content: {
    Simple: {
      Subject: utf8(subject),
      Body: { Text: utf8(text) },
      // This header (RFC 3834) suppresses vacation notices.
      Headers: [{ Name: 'Auto-Submitted', Value: 'auto-generated' }],
    },
  },
});

/** A mailbox in the 7-bit ASCII that SES requires, with its name quoted (RFC 5322) or in encoded words (RFC 2047). */
function mailboxHeader(from: Mailbox): string {
  if (typeof from === 'string') return from;
  const { name, address } = from;
  const words = /^[ -~]*$/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : encodedWords(name);
  return `${words} <${address}>`;
}

/** Encodes 11 characters at a time, at most 44 bytes, because an encoded word is limited to 75 characters. */
const encodedWords = (text: string) =>
  (text.match(/.{1,11}/gsu) ?? [])
    .map((part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`)
    .join(' ');
