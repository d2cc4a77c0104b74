/** An Amazon DynamoDB of our own, as far as counts need one, with the rules that they must live with: in memory, on a port of 127.0.0.1. */
import http from 'node:http';
import { listen } from '../listen.ts';
import { signatureProblem } from './signature.ts';

type Value = { readonly S: string } | { readonly N: string };
type Item = Readonly<Record<string, Value>>;

export interface Dynamo {
  readonly origin: string;
  readonly tables: Map<string, Map<string, Item>>;
  /** Of each request that was answered, such as `PutItem`. */
  readonly asked: string[];
  /** What is answered instead of doing it. `after`: it is done, and the answer gets lost. */
  refuse:
    | ((action: string) => { readonly status: number; readonly code: string } | 'after' | undefined)
    | undefined;
  close(): Promise<void>;
}

class DynamoError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const invalid = (): never => {
  throw new DynamoError('ValidationException');
};

export async function startDynamo(tables: readonly string[] = ['places']): Promise<Dynamo> {
  const all = new Map(tables.map((name) => [name, new Map<string, Item>()]));
  const asked: string[] = [];

  const carryOut = (action: string, request: Request): object => {
    const table = all.get(String(request.TableName));
    if (!table) throw new DynamoError('ResourceNotFoundException');
    if (action === 'GetItem') {
      const { Key, ConsistentRead, ...rest } = request;
      if (Object.keys(rest).join() !== 'TableName' || typeof ConsistentRead !== 'boolean') invalid();
      const item = table.get(keyOf(Key));
      return item ? { Item: item } : {};
    }
    if (action !== 'PutItem' || !request.Item) return invalid();
    const { Item: item } = request;
    for (const [name, value] of Object.entries(item)) checkValue(name, value);
    if (Buffer.byteLength(JSON.stringify(item)) > 400 * 1_024) invalid();
    const key = keyOf({ id: item.id as Value });
    if (!holds(request, table.get(key))) throw new DynamoError('ConditionalCheckFailedException');
    table.set(key, item);
    return {};
  };

  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const answer = (status: number, content: object) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(content));
    };
    const [, action = ''] = /^DynamoDB_20120810\.(\w+)$/.exec(String(request.headers['x-amz-target'])) ?? [];
    try {
      const problem = await signatureProblem(request, body, 'dynamodb', Date.now());
      if (problem) throw new DynamoError(problem);
      if (request.headers['content-type'] !== 'application/x-amz-json-1.0')
        throw new DynamoError('UnknownOperationException');
      const refusal = dynamo.refuse?.(action);
      if (refusal && refusal !== 'after') return answer(refusal.status, error(refusal.code));
      const result = carryOut(action, JSON.parse(body.toString()));
      asked.push(action);
      if (refusal === 'after') return request.socket.destroy();
      answer(200, result);
    } catch (found) {
      answer(400, error(found instanceof DynamoError ? found.code : 'SerializationException'));
    }
  });
  const port = await listen(server);
  const dynamo: Dynamo = {
    origin: `http://127.0.0.1:${port}`,
    tables: all,
    asked,
    refuse: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return dynamo;
}

interface Request {
  readonly TableName?: unknown;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly ConsistentRead?: unknown;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

const error = (code: string) => ({ __type: `com.amazonaws.dynamodb.v20120810#${code}`, message: 'no' });

/** The table's key: one text, `id`. */
function keyOf(key: Item | undefined): string {
  const { id } = key ?? {};
  return Object.keys(key ?? {}).join() === 'id' && id && 'S' in id && id.S !== '' ? id.S : invalid();
}

function checkValue(name: string, value: Value): void {
  const [[type, content] = []] = Object.entries(value);
  const isRight =
    type === 'S' ? typeof content === 'string' : type === 'N' && /^-?\d{1,38}$/.test(content ?? '');
  if (name === '' || Object.keys(value).length !== 1 || !isRight) invalid();
}

/** `attribute_not_exists(name)`, or `name = :value`. Each name and value that is given has to be used. */
function holds(request: Request, item: Item | undefined): boolean {
  const {
    ConditionExpression: condition,
    ExpressionAttributeNames: names = {},
    ExpressionAttributeValues: values = {},
  } = request;
  const [, absent] = /^attribute_not_exists\((#?\w+)\)$/.exec(condition ?? '') ?? [];
  const [, equal, value] = /^(#?\w+) = (:\w+)$/.exec(condition ?? '') ?? [];
  const written = absent ?? equal;
  if (condition !== undefined && written === undefined) invalid();
  const usedNames = written?.startsWith('#') ? written : '';
  if (Object.keys(names).join() !== usedNames || Object.keys(values).join() !== (value ?? '')) invalid();
  if (written === undefined) return true;
  const found = item?.[names[written] ?? written];
  return absent === undefined
    ? JSON.stringify(found) === JSON.stringify(values[value ?? ''])
    : found === undefined;
}
