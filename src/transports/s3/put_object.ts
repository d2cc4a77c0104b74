import { failed } from '../../client_error.ts';
import type { PutObject } from '../../effects.ts';
import type { Aws } from '../aws/account.ts';
import { errorName } from '../aws/error_name.ts';
import { objectUrl, s3Refusal } from '../aws/s3.ts';
import { sendSigned } from '../aws/send_signed.ts';

/** S3 PutObject, of what is not there yet. */
export function createPutObject(aws: Aws): PutObject {
  return async ({ bucket, key, object, timeoutMs }) => {
    const { type, content, sha256 } = object;
    const request = (region: string) => ({
      method: 'PUT' as const,
      url: objectUrl(aws.account.endpoint('S3'), region, bucket, key),
      headers: { 'content-type': type, 'if-none-match': '*' },
      body: '',
      streamed: content,
      sha256,
    });
    const answer = await sendSigned(aws, { service: 's3', request, timeoutMs, limitBytes: 65_536 });
    const { status } = answer;
    // It is there: 412, to which some servers say 304.
    if ((status >= 200 && status < 300) || status === 412 || status === 304) return;
    const name = errorName(answer);
    // Another try is under way (409), or the connection was too slow: both pass.
    if (status === 409 || name === 'RequestTimeout') {
      throw failed('s3_status', { status, name }, { retryAfterMs: 0 });
    }
    throw s3Refusal(answer, { bucket, key, action: 's3:PutObject' });
  };
}
