import { failed } from '../../client_error.ts';
import type { Effects, SesMessage as SesClientMessage } from '../../effects.ts';
import type { AwsAccount } from '../aws/account.ts';
import { refused, slow, type Transport } from '../transport.ts';
import { createSesClient } from './ses_client.ts';
import type { SesMessage } from './ses_message.ts';

/** @param from MAIL_FROM_ADDRESS. */
export function sesTransport(
  { ses, env, now }: Pick<Effects, 'ses' | 'env' | 'now'>,
  from: string | undefined,
): Transport<SesMessage, void> {
  const withSender = (message: SesMessage, timeoutMs: number): SesClientMessage => {
    if (from === undefined) throw failed('mail_from_unset');
    return { ...message, from, timeoutMs };
  };
  return {
    send: async (message, timeoutMs) => ses(withSender(message, timeoutMs)),
    show: async (message, mask) => {
      const shown = withSender(message, 0);
      const subject = mask.text(message.subject);
      const text = mask.pairs(message.text, '\n');
      const region = env('AWS_REGION') || env('AWS_DEFAULT_REGION') || 'us-east-1';
      return {
        kind: 'mail',
        server: 'Amazon SES',
        envelope: { from: shown.from, to: shown.to },
        replyTo: shown.replyTo,
        subject,
        text,
        source: await requestOf({ ...shown, subject, text }, region, now),
      };
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

/** The request that hands a mail to SES, made by the real client with made-up credentials. */
async function requestOf(message: SesClientMessage, region: string, now: () => number): Promise<string> {
  let request = '';
  const account: AwsAccount = {
    credentials: async () => ({ accessKeyId: 'dry-run', secretAccessKey: 'dry-run' }),
    region: async () => region,
    endpoint: () => undefined,
  };
  const send = createSesClient({
    account,
    now,
    http: async ({ url, headers, body }) => {
      const shown = { ...headers, authorization: '***' };
      const lines = Object.entries(shown).map(([name, value]) => `${name}: ${value}`);
      request = `POST ${url.pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
      return { status: 200, headers: {}, body: Buffer.alloc(0), isCut: false };
    },
  });
  await send({ ...message, timeoutMs: 1_000 });
  return request;
}
