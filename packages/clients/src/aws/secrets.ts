/** Reads secrets from SSM Parameter Store and Secrets Manager. */
import { ClientError, failures } from '@form-relay/base/client_error';
import { withRetries } from '@form-relay/core/pipeline/retries';
import type { Aws } from '@form-relay/core/services';
import { jsonObject } from '../json_object.ts';
import { awsStatus } from './failures.ts';
import { callJson } from './json_call.ts';

/** For all secrets and retries: a function has 10 s to start, and must fetch its config too. */
const timeoutMs = 4_000;
/** Secrets Manager takes 64 KB, which JSON may make six times as long. */
const limitBytes = 524_288;

const failed = failures({
  arn_malformed:
    'this is no ARN of a parameter or a secret, such as arn:aws:ssm:eu-central-1:111122223333:parameter/forms/token or arn:aws:secretsmanager:eu-central-1:111122223333:secret:forms-AbCdEf',
  missing: ({ arn, name }: { arn: string; name: string }) => `there is no ${arn} (${name})`,
  access_denied: ({ action, arn }: { action: string; arn: string }) =>
    `access denied (AccessDeniedException): the role needs ${action} on ${arn}, and kms:Decrypt where it has a key of its own`,
  without_text: ({ arn }: { arn: string }) => `${arn} holds no text`,
  without_key: ({ arn, key }: { arn: string; key: string }) =>
    `${arn} is no JSON object with text under "${key}", which stands behind the #`,
  status: ({ service, ...answer }: { service: string; status: number; name: string }) =>
    awsStatus(service)(answer),
});

interface Place {
  readonly service: 'SSM' | 'SECRETS_MANAGER';
  readonly region: string;
  readonly arn: string;
  /** The key in a secret that is a JSON object. */
  readonly key: string | undefined;
}

/**
 * A reader of secrets by their ARNs, which asks for each once. `arn:…:secret:name#key` is a value of a secret that is a
 * JSON object. Rejects with a `ClientError` whose words follow the name of the variable.
 */
export function secretReader(aws: Aws): (arn: string) => Promise<string> {
  const asked = new Map<string, Promise<string>>();
  return async (written) => {
    const place = placeOf(written);
    if (!place) throw failed('arn_malformed');
    const text = asked.get(place.arn) ?? askFor(place, aws);
    asked.set(place.arn, text);
    return valueIn(await text, place);
  };
}

/** `undefined`: not the ARN of a secret. */
function placeOf(value: string): Place | undefined {
  const pattern = /^(arn:aws[a-z-]*:(ssm|secretsmanager):([a-z\d-]+):\d{12}:([^#]+))(?:#(.+))?$/;
  const [, arn, service, region, what = '', key] = pattern.exec(value) ?? [];
  if (arn === undefined || region === undefined) return undefined;
  // A version or a label may follow the name of a parameter.
  if (service === 'ssm')
    return /^parameter\/[\w./-]+(?::[\w.-]+)?$/.test(what) ? { service: 'SSM', region, arn, key } : undefined;
  return /^secret:[\w/+=.@-]+$/.test(what) ? { service: 'SECRETS_MANAGER', region, arn, key } : undefined;
}

const apis = {
  SSM: {
    name: 'SSM',
    target: 'AmazonSSM.GetParameter',
    action: 'ssm:GetParameter',
    parameters: (arn: string) => ({ Name: arn, WithDecryption: true }),
    textIn: ({ Parameter }: Answer) => Parameter?.Value,
  },
  SECRETS_MANAGER: {
    name: 'Secrets Manager',
    target: 'secretsmanager.GetSecretValue',
    action: 'secretsmanager:GetSecretValue',
    parameters: (arn: string) => ({ SecretId: arn }),
    textIn: ({ SecretString }: Answer) => SecretString,
  },
};

interface Answer {
  readonly Parameter?: { readonly Value?: string };
  readonly SecretString?: string;
}

async function askFor({ service, region, arn }: Place, aws: Aws): Promise<string> {
  const { name: api, target, action, parameters, textIn } = apis[service];
  const ask = async (timeoutMs: number): Promise<string> => {
    const call = { service, region, target, parameters: parameters(arn), timeoutMs, limitBytes };
    const answer = await callJson(aws, call).catch((error: unknown) => {
      throw error instanceof ClientError ? unread(error) : error;
    });
    if (!answer.ok) {
      const { status, name, retry } = answer;
      if (/NotFound/.test(name)) throw failed('missing', { arn, name });
      if (/^AccessDenied/.test(name)) throw failed('access_denied', { action, arn });
      throw failed('status', { service: api, status, name }, retry);
    }
    const text = textIn((answer.value ?? {}) as Answer)?.replace(/\r?\n$/, '');
    if (text === undefined || text === '' || text.includes('\0')) throw failed('without_text', { arn });
    return text;
  };
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const rule = { retries: 3, timeoutMs, firstWaitMs: 200 };
  return withRetries(ask, rule, { now: aws.now, sleep, random: Math.random });
}

const unread = ({ message, code, params, retryAfterMs, isUnsent }: ClientError) =>
  new ClientError(`cannot be read: ${message}`, { code, params, retryAfterMs, isUnsent });

function valueIn(text: string, { arn, key }: Place): string {
  if (key === undefined) return text;
  const object = jsonObject(text) ?? {};
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') return String(value);
  throw failed('without_key', { arn, key });
}
