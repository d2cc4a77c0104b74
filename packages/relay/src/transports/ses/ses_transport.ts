import { addressOf, bareAddress, domainOf } from '../../base/address.ts';
import { failed } from '../../base/client_error.ts';
import type { Effects, Followed, Mail, Mailbox, SesMessage as SentMail } from '../../base/effects.ts';
import type { Template } from '../../schema/template/render.ts';
import type { AwsAccount, AwsPlace } from '../aws/account.ts';
import type { NodeHttp } from '../http/node_client.ts';
import {
  type AnyMessage,
  type AnyTarget,
  type MailContent,
  refused,
  slow,
  type Transport,
} from '../transport.ts';

/** @param mailFrom MAIL_FROM_ADDRESS. */
export function sesTransport(
  { ses, env, now }: Pick<Effects, 'ses' | 'env' | 'now'>,
  mailFrom: string | undefined,
): Transport<SesMessage> {
  const ownSender = mailFrom === undefined ? undefined : senderOf(mailFrom);
  const withSender = (message: SesMessage): Mail & Pick<SesMessage, 'followed'> => {
    const from = message.from ?? ownSender;
    if (from === undefined) throw failed('mail_from_unset');
    return { ...message, from, messageId: `${message.id}@${domainOf(addressOf(from))}` };
  };
  return {
    send: async (message, timeoutMs) => ses({ ...withSender(message), timeoutMs }),
    show: async (message, mask) => {
      const place = { region: env('AWS_REGION') || env('AWS_DEFAULT_REGION') || 'us-east-1' };
      const { shownMail } = await import('../mail/shown_mail.ts');
      return shownMail(withSender(message), 'Amazon SES', mask, (masked) => requestOf(masked, place, now));
    },
    answerInWords: () => 'accepted',
    faults: [
      refused,
      {
        name: 'bounced',
        says: 'bounces the mail',
        error: () => failed('ses_status', { status: 400, name: 'MessageRejected' }),
      },
      slow,
    ],
  };
}

/** The request for a mail, made by the real client with made-up credentials, with its MIME in clear. */
async function requestOf(
  mail: Omit<SentMail, 'timeoutMs'>,
  place: AwsPlace,
  now: () => number,
): Promise<string> {
  const [{ createSesClient }, { base64InWords, wholeOf }] = await Promise.all([
    import('./ses_client.ts'),
    import('../mail/shown_mail.ts'),
  ]);
  let request = '';
  const account: AwsAccount = {
    credentials: async () => ({ accessKeyId: 'dry-run', secretAccessKey: 'dry-run' }),
    place: async () => place,
    endpoint: () => undefined,
  };
  const http: NodeHttp = async ({ url, headers, body, streamed }) => {
    const text = streamed ? wholeOf(streamed).toString() : body;
    const shown = { ...headers, authorization: '***' };
    const lines = Object.entries(shown).map(([name, value]) => `${name}: ${value}`);
    request = `POST ${url.pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${inClear(text)}`;
    return { status: 200, headers: {}, body: Buffer.alloc(0), isCut: false };
  };
  const send = createSesClient({ account, now, http }, base64InWords);
  await send({ ...mail, timeoutMs: 1_000 });
  return request;
}

/** Replaces MIME in base64 by the text itself. */
function inClear(body: string): string {
  const [, before = '', data, after = ''] = /^(.*"Raw":\{"Data":)"([^"]*)"(.*)$/s.exec(body) ?? [];
  if (data === undefined) return body;
  const mime = Buffer.from(data, 'base64').toString('utf8');
  return `${before}"(base64 of what follows)"${after}\r\n\r\n${mime}`;
}

/** A mail through Amazon SES, by default from MAIL_FROM_ADDRESS. */
export interface SesMessage extends AnyMessage, MailContent {
  readonly via: 'ses';
  readonly followed?: Followed;
}

export interface SesTarget extends AnyTarget {
  readonly via: 'ses';
  readonly to: readonly Template[];
  readonly cc: readonly Template[] | undefined;
  readonly bcc: readonly Template[] | undefined;
  /** Default: MAIL_FROM_ADDRESS. */
  readonly from: Mailbox | undefined;
  /** Default: the one that SES has for the sender. */
  readonly configurationSet: string | undefined;
}

export const sesTarget = (target: Omit<SesTarget, 'via' | 'name'>): SesTarget => ({
  ...target,
  via: 'ses',
  name: 'Amazon SES',
});

/**
 * Reads MAIL_FROM_ADDRESS, which was checked: an address, maybe with a name before it. The name may be quoted, as other
 * programs write it.
 */
export function senderOf(text: string): Mailbox {
  const address = bareAddress(text);
  const [, before = ''] = /^([^<>]*)</.exec(text) ?? [];
  const name = before
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replaceAll(/\\(.)/g, '$1');
  const readable = name.replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim();
  return readable === '' ? address : { name: readable, address };
}
