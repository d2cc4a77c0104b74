/** Reads secrets from SSM Parameter Store and Secrets Manager. */
import { ClientError, failed } from '../base/client_error.ts';
import { type Environment, SettingError, type SettingProblem } from '../schema/settings/settings.ts';
import { type Aws, ownAws, serviceAddress } from '../transports/aws/account.ts';
import { errorName, retryOf, sendSigned } from '../transports/aws/send_signed.ts';
import { parseJson } from '../transports/http/answer.ts';
import { withRetries } from '../transports/retries.ts';

/** An unset variable, and the ARN of its secret from `<name>_ARN`. */
export type SecretVariable = readonly [name: string, arn: string];

/** For all secrets and retries: a function has 10 s to start, and must fetch its config too. */
const timeoutMs = 4_000;
/** Secrets Manager takes 64 KB, which JSON may make six times as long. */
const limitBytes = 524_288;

interface Place {
  readonly service: 'ssm' | 'secretsmanager';
  readonly region: string;
  readonly arn: string;
  /** The key in a secret that is a JSON object. */
  readonly key: string | undefined;
}

/**
 * Reads the values of these variables. Rejects with a `SettingError` that names every unreadable ARN, and no value.
 *
 * @param env Has the credentials, as for every request to AWS.
 */
export async function readSecretArns(
  found: readonly SecretVariable[],
  env: Environment,
): Promise<Readonly<Record<string, string>>> {
  const { now } = Date;
  const aws = ownAws((name) => env[name], now);
  const known = new Map<string, Promise<string>>();
  const textOf = (place: Place): Promise<string> => {
    const text = known.get(place.arn) ?? askFor(place, aws);
    known.set(place.arn, text);
    return text;
  };
  const values: Record<string, string> = {};
  const read = async ([name, arn]: SecretVariable): Promise<undefined> => {
    const place = placeOf(arn);
    if (!place) throw failed('secret_arn_malformed');
    values[name] = valueIn(await textOf(place), place);
  };
  const problemOf = (variable: SecretVariable): Promise<SettingProblem | undefined> =>
    read(variable).catch((error: unknown) => {
      if (!(error instanceof ClientError)) throw error;
      const isWhole = error.code.startsWith('secret_');
      const expected = isWhole ? error.message : `cannot be read: ${error.message}`;
      return { name: `${variable[0]}_ARN`, expected };
    });
  const problems = (await Promise.all(found.map(problemOf))).filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new SettingError(problems);
  return values;
}

/** `undefined`: not the ARN of a secret. */
function placeOf(value: string): Place | undefined {
  const pattern = /^(arn:aws[a-z-]*:(ssm|secretsmanager):([a-z\d-]+):\d{12}:([^#]+))(?:#(.+))?$/;
  const [, arn, service, region, what = '', key] = pattern.exec(value) ?? [];
  if (arn === undefined || region === undefined) return undefined;
  if (service === 'ssm') {
    // A version or a label may follow its name.
    return /^parameter\/[\w./-]+(?::[\w.-]+)?$/.test(what) ? { service, region, arn, key } : undefined;
  }
  return /^secret:[\w/+=.@-]+$/.test(what) ? { service: 'secretsmanager', region, arn, key } : undefined;
}

/** GetParameter, or GetSecretValue. Rejects with a `ClientError`. */
async function askFor({ service, region, arn }: Place, aws: Aws): Promise<string> {
  const isParameter = service === 'ssm';
  const action = isParameter ? 'GetParameter' : 'GetSecretValue';
  const asked = isParameter ? { Name: arn, WithDecryption: true } : { SecretId: arn };
  const ask = async (timeoutMs: number): Promise<string> => {
    const answer = await sendSigned(aws, {
      service,
      region,
      request: (place) => ({
        method: 'POST',
        url: new URL(serviceAddress(aws.account, isParameter ? 'SSM' : 'SECRETS_MANAGER', place)),
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': `${isParameter ? 'AmazonSSM' : 'secretsmanager'}.${action}`,
        },
        body: JSON.stringify(asked),
      }),
      timeoutMs,
      limitBytes,
    });
    if (answer.status !== 200) {
      const name = errorName(answer);
      if (/NotFound/.test(name)) throw failed('secret_missing', { arn, name });
      if (/^AccessDenied/.test(name))
        throw failed('secret_access_denied', { action: `${service}:${action}`, arn });
      throw failed('secret_status', { service, status: answer.status, name }, retryOf(answer));
    }
    const { Parameter, SecretString } = (parseJson(answer.body.toString()) ?? {}) as Answer;
    const text = (isParameter ? Parameter?.Value : SecretString)?.replace(/\r?\n$/, '');
    if (text === undefined || text === '' || text.includes('\0'))
      throw failed('secret_without_text', { arn });
    return text;
  };
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const rule = { retries: 3, timeoutMs, firstWaitMs: 200 };
  return withRetries(ask, rule, { now: aws.now, sleep, random: Math.random });
}

interface Answer {
  readonly Parameter?: { readonly Value?: string };
  readonly SecretString?: string;
}

function valueIn(text: string, { arn, key }: Place): string {
  if (key === undefined) return text;
  const read = parseJson(text);
  const value =
    typeof read === 'object' && read !== null && Object.hasOwn(read, key) ? read[key as never] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') return String(value);
  throw failed('secret_without_key', { arn, key });
}
