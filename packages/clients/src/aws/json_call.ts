import type { Retry } from '@form-relay/core/base/client_error';
import { parseJson } from '@form-relay/core/outputs/request';
import type { Aws, AwsServiceId } from '@form-relay/core/services';
import { serviceAddress } from './account.ts';
import { errorName, retryOf, sendSigned } from './send_signed.ts';

const services = {
  SQS: { service: 'sqs', type: 'application/x-amz-json-1.0' },
  DYNAMODB: { service: 'dynamodb', type: 'application/x-amz-json-1.0' },
  SSM: { service: 'ssm', type: 'application/x-amz-json-1.1' },
  SECRETS_MANAGER: { service: 'secretsmanager', type: 'application/x-amz-json-1.1' },
} as const satisfies Partial<Record<AwsServiceId, object>>;

/** A call by AWS's JSON protocol. */
export interface JsonCall {
  readonly service: keyof typeof services;
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
  const { service, type } = services[id];
  const answer = await sendSigned(aws, {
    service,
    region,
    request: (place) => ({
      method: 'POST',
      url: new URL(
        address === undefined
          ? serviceAddress(aws.account, id, place)
          : (aws.account.endpoint(id) ?? address),
      ),
      headers: { 'content-type': type, 'x-amz-target': target },
      body: JSON.stringify(parameters),
    }),
    timeoutMs,
    limitBytes,
  });
  const { status } = answer;
  if (status !== 200) return { ok: false, status, name: errorName(answer), retry: retryOf(answer) };
  const read = answer.isCut ? undefined : parseJson(answer.body.toString());
  return { ok: true, value: typeof read === 'object' && read !== null ? read : undefined };
}
