import { ClientError, type SesClient } from '../../effects.ts';
import type { NodeAnswer } from '../node_http.ts';
import { type Aws, awsAddress } from './account.ts';
import { sendSigned } from './send_signed.ts';

/** SES v2 SendEmail. */
export function createSesClient(aws: Aws): SesClient {
  return async ({ from, to, replyTo, subject, text, timeoutMs }) => {
    const utf8 = (data: string) => ({ Data: data, Charset: 'UTF-8' });
    const body = JSON.stringify({
      FromEmailAddress: from,
      Destination: { ToAddresses: to },
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
    const request = (region: string) => {
      const base = aws.account.endpoint('SESV2') ?? awsAddress('email', region);
      const url = new URL(`${base}/v2/email/outbound-emails`);
      return { method: 'POST', url, headers: { 'content-type': 'application/json' }, body } as const;
    };
    const answer = await sendSigned(aws, { service: 'ses', request, timeoutMs, limitBytes: 65_536 });
    if (answer.status !== 200) throw new ClientError(`SES answered ${answer.status}${errorName(answer)}`);
  };
}

/** SES names its errors in a header or in the body; their texts may hold a visitor's address and are left out. */
function errorName({ headers, body }: NodeAnswer): string {
  const stated =
    headers['x-amzn-errortype'] ?? /"__type"\s*:\s*"([^"]*)"/.exec(body.toString('utf8'))?.[1] ?? '';
  // `com.amazonaws.sesv2#MessageRejected`, `MessageRejected:http://…`
  const name = /^(?:[\w.]+#)?([A-Za-z]{1,60})(?::|$)/.exec(stated)?.[1];
  return name ? ` (${name})` : '';
}
