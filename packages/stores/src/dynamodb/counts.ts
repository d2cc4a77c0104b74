import { jsonObject } from '@form-relay/base/json';
import { serviceAddress } from '@form-relay/clients/aws/account';
import { errorName, retryOf, sendSigned } from '@form-relay/clients/aws/sign';
import type { ClientError, Services } from '@form-relay/core/index';
import { failed } from '../failures.ts';
import type { Counts, Store, Versioned } from '../store.ts';

/** An item has at most 400 KB, but is longer as JSON. */
const limitBytes = 2_000_000;

interface Answer {
  readonly Item?: {
    readonly tally?: { readonly S?: string };
    readonly version?: { readonly N?: string };
  };
}

/** Counts in an Amazon DynamoDB table with the text key `id`. Each write names the version that it replaces. */
export function openTable(table: string, aws: Services['aws']): Store {
  const counts = new DynamoCounts(table, aws);
  return {
    counts,
    remedies: {
      counts_damaged:
        'Remove the item with this `id`, then set the number taken with relay places --set. Values that `once` had registered are accepted again.',
      other:
        'Check the table (its partition key must be the string `id`), the region, the credentials, and the role, which needs dynamodb:GetItem and dynamodb:PutItem.',
    },
    probe: async () => {
      await counts.read('probe', probeMs);
      return [{ level: 'ok', says: `the table ${table} can be read` }];
    },
    close: async () => {},
  };
}

const probeMs = 10_000;

class DynamoCounts implements Counts {
  constructor(
    private readonly table: string,
    private readonly aws: Services['aws'],
  ) {}

  async read(key: string, timeoutMs: number): Promise<Versioned> {
    // Without ConsistentRead, the result may be a second old.
    const { Item } = await this.#ask('GetItem', { Key: { id: { S: key } }, ConsistentRead: true }, timeoutMs);
    return { text: Item?.tally?.S, version: Item?.version?.N ?? '' };
  }

  async write(key: string, text: string, { version }: Versioned, timeoutMs: number): Promise<boolean> {
    const next = String(Number(version) + 1);
    const condition =
      version === ''
        ? { ConditionExpression: 'attribute_not_exists(id)' }
        : {
            ConditionExpression: '#version = :read',
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':read': { N: version } },
          };
    const Item = { id: { S: key }, tally: { S: text }, version: { N: next } };
    try {
      await this.#ask('PutItem', { Item, ...condition }, timeoutMs);
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  async remove(key: string, timeoutMs: number): Promise<void> {
    await this.#ask('DeleteItem', { Key: { id: { S: key } } }, timeoutMs);
  }

  /** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations.html */
  async #ask(
    action: 'GetItem' | 'PutItem' | 'DeleteItem',
    parameters: object,
    timeoutMs: number,
  ): Promise<Answer> {
    const { table } = this;
    const aws = await this.aws();
    const answer = await sendSigned(aws, {
      service: 'dynamodb',
      request: (region) => ({
        method: 'POST',
        url: new URL(serviceAddress(aws.account, 'DYNAMODB', region)),
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': `DynamoDB_20120810.${action}`,
        },
        body: JSON.stringify({ TableName: table, ...parameters }),
      }),
      timeoutMs,
      limitBytes,
    });
    const { status } = answer;
    if (status === 200) {
      const value = answer.isCut ? undefined : jsonObject(answer.body.toString());
      if (!value) throw failed('dynamodb_answer_malformed');
      return value;
    }
    const name = errorName(answer);
    if (name === 'ResourceNotFoundException') throw failed('dynamodb_no_table', { table });
    if (name === 'AccessDeniedException') throw failed('dynamodb_access_denied', { table, action });
    throw failed('dynamodb_status', { status, name }, retryOf(answer));
  }
}

const isConflict = (error: unknown): boolean => {
  const { code, params } = error as Partial<ClientError>;
  return (
    code === 'dynamodb_status' &&
    (params as { readonly name?: string }).name === 'ConditionalCheckFailedException'
  );
};
