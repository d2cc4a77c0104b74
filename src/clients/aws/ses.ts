import { ClientError, type SesClient } from '../../effects.ts';
import type { Aws } from './account.ts';
import { sendSigned } from './send_signed.ts';

/** SES v2 SendEmail. */
export function createSesClient(aws: Aws): SesClient {
  return async ({ from, to, replyTo, subject, text, timeoutMs }) => {
    const region = await aws.account.region();
    const base =
      aws.account.endpoint('SESV2')?.href.replace(/\/$/, '') ?? `https://email.${region}.amazonaws.com`;
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
    const request = {
      method: 'POST',
      url: new URL(`${base}/v2/email/outbound-emails`),
      headers: { 'content-type': 'application/json' },
      body,
    } as const;
    const sending = { ...aws, service: 'ses', region, timeoutMs, limitBytes: 65_536 } as const;
    const answer = await sendSigned(request, sending);
    if (answer.status !== 200) throw new ClientError(`SES answered ${answer.status}${errorName(answer)}`);
  };
}

/** SES names its errors in a header or in the body; their texts may hold a visitor's address and are left out. */
function errorName({
  headers,
  body,
}: {
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}): string {
  const stated =
    headers['x-amzn-errortype'] ?? /"__type"\s*:\s*"([^"]*)"/.exec(body.toString('utf8'))?.[1] ?? '';
  const name = /[A-Za-z]+(?:Exception|Rejected|Error)\b/.exec(stated)?.[0];
  return name ? ` (${name})` : '';
}
