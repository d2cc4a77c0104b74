import { failed } from '../../base/client_error.ts';
import type { PutObject } from '../../base/effects.ts';
import type { Aws } from '../aws/account.ts';
import { errorName } from '../aws/error_name.ts';
import { askS3, s3Refusal } from '../aws/s3.ts';

/** S3 PutObject, of what is not there yet. */
export function createPutObject(aws: Aws): PutObject {
  return async ({ bucket, key, object, timeoutMs }) => {
    const { type, content, sha256 } = object;
    const headers = { 'content-type': type, 'if-none-match': '*' };
    const answer = await askS3(aws, {
      method: 'PUT',
      bucket,
      key,
      headers,
      streamed: content,
      sha256,
      timeoutMs,
    });
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
