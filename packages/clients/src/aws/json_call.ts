import type { Retry } from '@form-relay/base/client_error';
import type { Aws } from '@form-relay/core/services';
import { jsonObject } from '../json_object.ts';
import { hosts, serviceAddress } from './account.ts';
import { errorName, retryOf, sendSigned } from './send_signed.ts';

/** Their versions of the protocol. */
const versions = { SQS: '1.0', DYNAMODB: '1.0', SSM: '1.1', SECRETS_MANAGER: '1.1' } as const;

/** A call by AWS's JSON protocol. */
export interface JsonCall {
  readonly service: keyof typeof versions;
  /** Default: the account's. */
  readonly region?: string | undefined;
  /** AWS's own address, unless the environment has another. Default: the service's in the region. */
  readonly address?: string;
  /** The action with the prefix of its API, such as `DynamoDB_20120810.GetItem`. */
  readonly target: string;
  readonly parameters: object;
  /** Includes the time to find the credentials. */
  readonly timeoutMs: number;
  /** The limit of the answer. */
  readonly limitBytes: number;
}

export type JsonAnswer =
  | {
      readonly ok: true;
      /** `undefined`: the answer is no JSON object, or longer than the limit. */
      readonly value: object | undefined;
    }
  | {
      readonly ok: false;
      readonly status: number;
      /** AWS's name for the error, such as `ResourceNotFoundException`; empty without one. */
      readonly name: string;
      readonly retry: Retry;
    };

/** Calls a service once. Rejects with a `ClientError` if no answer came. The caller knows the meaning of a refusal. */
export async function callJson(aws: Aws, call: JsonCall): Promise<JsonAnswer> {
  const { service: id, region, address, target, parameters, timeoutMs, limitBytes } = call;
  const answer = await sendSigned(aws, {
    service: hosts[id],
    region,
    request: (place) => ({
      method: 'POST',
      url: new URL(
        address === undefined
          ? serviceAddress(aws.account, id, place)
          : (aws.account.endpoint(id) ?? address),
      ),
      headers: { 'content-type': `application/x-amz-json-${versions[id]}`, 'x-amz-target': target },
      body: JSON.stringify(parameters),
    }),
    timeoutMs,
    limitBytes,
  });
  const { status } = answer;
  if (status !== 200) return { ok: false, status, name: errorName(answer), retry: retryOf(answer) };
  return { ok: true, value: answer.isCut ? undefined : jsonObject(answer.body.toString()) };
}
