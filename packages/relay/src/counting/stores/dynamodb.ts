/** Counts in a table of Amazon DynamoDB, whose key is a text `id`: each write names the version that it replaces. */
import { type ClientError, failed } from '../../base/client_error.ts';
import type { CountPlace, CountStore, Versioned } from '../../base/counts.ts';
import { type Aws, serviceAddress } from '../../transports/aws/account.ts';
import { errorName, retryOf, sendSigned } from '../../transports/aws/send_signed.ts';
import { parseJson } from '../../transports/http/answer.ts';

/** An item has 400 KB at most, and as JSON it is longer. */
const mostAnswerBytes = 2_000_000;

const conflict = 'ConditionalCheckFailedException';

export class DynamoCounts implements CountStore {
  constructor(
    private readonly place: Extract<CountPlace, { kind: 'dynamodb' }>,
    private readonly aws: Aws,
  ) {}

  async read(key: string, timeoutMs: number): Promise<Versioned> {
    const { Item } = (await this.#ask(
      'GetItem',
      // Without it, a read may be a second late.
      { Key: { id: { S: key } }, ConsistentRead: true },
      timeoutMs,
    )) as Answer;
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

  async close(): Promise<void> {}

  /** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations.html */
  async #ask(
    action: 'GetItem' | 'PutItem' | 'DeleteItem',
    parameters: object,
    timeoutMs: number,
  ): Promise<object> {
    const { table } = this.place;
    const answer = await sendSigned(this.aws, {
      service: 'dynamodb',
      request: (place) => ({
        method: 'POST',
        url: new URL(`${serviceAddress(this.aws.account, 'DYNAMODB', place)}/`),
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': `DynamoDB_20120810.${action}`,
        },
        body: JSON.stringify({ TableName: table, ...parameters }),
      }),
      timeoutMs,
      limitBytes: mostAnswerBytes,
    });
    const { status } = answer;
    if (status !== 200) throw this.#refusal(errorName(answer), status, action, retryOf(answer));
    const read = answer.isCut ? undefined : parseJson(answer.body.toString());
    if (typeof read !== 'object' || read === null) throw failed('dynamodb_answer_malformed');
    return read;
  }

  #refusal(name: string, status: number, action: string, retry: ReturnType<typeof retryOf>): ClientError {
    const { table } = this.place;
    if (name === 'ResourceNotFoundException') return failed('dynamodb_no_table', { table });
    if (name === 'AccessDeniedException') return failed('dynamodb_access_denied', { table, action });
    return failed('dynamodb_status', { status, name }, retry);
  }
}

const isConflict = (error: unknown) =>
  (error as Partial<ClientError>).code === 'dynamodb_status' &&
  (error as { readonly params: { readonly name: string } }).params.name === conflict;

interface Answer {
  readonly Item?: {
    readonly tally?: { readonly S?: string };
    readonly version?: { readonly N?: string };
  };
}
