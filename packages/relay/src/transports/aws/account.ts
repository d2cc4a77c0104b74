import { failed } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import { inTime } from '../../base/in_time.ts';
import { parseUrl } from '../../base/url.ts';
import { createNodeHttp, type NodeHttp } from '../http/node_client.ts';
import { type Partition, partitions } from './partitions.ts';
import type { AwsCredentials } from './sign.ts';

export interface Aws {
  readonly account: AwsAccount;
  readonly http: NodeHttp;
  readonly now: () => number;
}

/** The relay's credentials and place at AWS. */
export interface AwsAccount {
  credentials(): Promise<AwsCredentials>;
  /** @param region Default: from the environment, or else from the profile. */
  place(region?: string): Promise<AwsPlace>;
  /** A service's address from AWS_ENDPOINT_URL_<SERVICE> or AWS_ENDPOINT_URL; `undefined` for AWS's own. */
  endpoint(service: AwsServiceId): string | undefined;
}

export type AwsServiceId = 'S3' | 'SESV2' | 'SQS' | 'DYNAMODB' | 'SSM' | 'SECRETS_MANAGER';

const hosts = {
  SESV2: 'email',
  SQS: 'sqs',
  DYNAMODB: 'dynamodb',
  SSM: 'ssm',
  SECRETS_MANAGER: 'secretsmanager',
} as const satisfies Partial<Record<AwsServiceId, AwsHost>>;

/** A service's address: its own, or one from the environment. Throws a `ClientError`. */
export const serviceAddress = (
  account: Pick<AwsAccount, 'endpoint'>,
  service: keyof typeof hosts,
  place: AwsPlace,
): string => ownAddress(account, service, place) ?? awsAddress(hosts[service], place);

/** An address from the environment. FIPS and IPv6 say nothing about it, so like the SDK this refuses them together. */
export function ownAddress(
  account: Pick<AwsAccount, 'endpoint'>,
  service: AwsServiceId,
  { isFips, isDualStack }: AwsPlace,
): string | undefined {
  const address = account.endpoint(service);
  if (address !== undefined && (isFips || isDualStack)) {
    throw failed('aws_endpoint_and_switch', { service, name: isFips ? fipsSwitch.env : dualStackSwitch.env });
  }
  return address;
}

/** The switches among AWS's own addresses, by their names in the environment and in a profile. */
const fipsSwitch = { env: 'AWS_USE_FIPS_ENDPOINT', key: 'use_fips_endpoint' } as const;
const dualStackSwitch = { env: 'AWS_USE_DUALSTACK_ENDPOINT', key: 'use_dualstack_endpoint' } as const;

/** AWS as the relay's own process reaches it. */
export const ownAws = (readEnv: Effects['env'], now: () => number, http = createNodeHttp(now)): Aws => ({
  account: awsAccount(readEnv),
  http,
  now,
});

/**
 * Reads the variables that AWS users know. Without credentials in the environment, the AWS SDK's own chain finds them
 * (profiles, SSO, containers, instance metadata). Loading it takes 80 ms and 28 MB.
 */
export function awsAccount(env: Effects['env']): AwsAccount {
  const profile = env('AWS_PROFILE') || undefined;
  const askChain = credentialChain(profile);
  const ownCredentials = (): AwsCredentials | undefined => {
    const accessKeyId = env('AWS_ACCESS_KEY_ID');
    const secretAccessKey = env('AWS_SECRET_ACCESS_KEY');
    if (!accessKeyId || !secretAccessKey) return undefined;
    return { accessKeyId, secretAccessKey, sessionToken: env('AWS_SESSION_TOKEN') || undefined };
  };
  return {
    credentials: async () => ownCredentials() ?? askChain(),
    async place(asked) {
      const known = asked ?? (env('AWS_REGION') || env('AWS_DEFAULT_REGION'));
      // The profile counts if it has the credentials, or if nothing else names the region.
      const isNamed = profile !== undefined && !ownCredentials();
      const read = known && !isNamed ? undefined : await readProfile(profile);
      const region = known || read?.region;
      if (!region) throw failed('aws_without_region');
      // Before the switch existed, FIPS had region names of its own.
      if (/^fips-|-fips$/.test(region)) throw failed('aws_region_fips', { region });
      // A URL takes `xn--` for the beginning of a name in another script.
      if (!/^(?!xn--)[a-z0-9-]+$/.test(region) || region.endsWith('-global'))
        throw failed('aws_region_malformed', { region });
      const isOn = ({ env: name, key }: typeof fipsSwitch | typeof dualStackSwitch): boolean => {
        const said = env(name) || read?.[key] || 'false';
        if (said !== 'true' && said !== 'false') throw failed('aws_switch_malformed', { name });
        return said === 'true';
      };
      return { region, isFips: isOn(fipsSwitch), isDualStack: isOn(dualStackSwitch) };
    },
    endpoint(service) {
      const url = env(`AWS_ENDPOINT_URL_${service}`) || env('AWS_ENDPOINT_URL');
      if (!url) return undefined;
      // Paths and queries are appended.
      if (!/^https?:[^?#]+$/.test(url) || !parseUrl(url)) {
        throw failed('aws_endpoint_malformed', { service });
      }
      return url.replace(/\/$/, '');
    },
  };
}

/** The chain's time at first. A container's endpoint answers in milliseconds, a program in seconds. */
const firstPatienceMs = 4_000;
/** The most that credentials can be late after a long outage. */
const mostPatienceMs = 120_000;

/**
 * The AWS SDK's own chain. It shares one request among all callers and waits for ever, so a new chain replaces one that
 * takes too long. The SDK cannot be aborted, and an abandoned chain keeps a connection or a program, so the next one
 * gets twice the time. Rejects with a `ClientError`.
 */
function credentialChain(profile: string | undefined): AwsAccount['credentials'] {
  const load = async () => (await import('@aws-sdk/credential-provider-node')).defaultProvider({ profile });
  let chain: ReturnType<typeof load> | undefined;
  let patienceMs = firstPatienceMs;
  return async () => {
    chain ??= load();
    const asked = chain;
    const timeoutMs = patienceMs;
    const answer = asked
      .then((ask) => ask())
      .catch(() => {
        throw profile
          ? failed('aws_profile_without_credentials', { profile })
          : failed('aws_without_credentials');
      });
    const credentials = await inTime(timeoutMs, answer, () => {
      if (chain === asked) {
        chain = undefined;
        patienceMs = Math.min(timeoutMs * 2, mostPatienceMs);
      }
      throw failed('aws_credentials_late', { timeoutMs }, { retryAfterMs: 0, isUnsent: true });
    });
    patienceMs = firstPatienceMs;
    return credentials;
  };
}

/** Reads the files as the SDK does: the config file wins, except that the credentials file's region does. */
async function readProfile(profile = 'default'): Promise<Readonly<Record<string, string | undefined>>> {
  const { loadSharedConfigFiles } = await import('@smithy/shared-ini-file-loader');
  const files = await loadSharedConfigFiles().catch((error) => {
    // An image from scratch knows no users, so that they have no home.
    if (error.code !== 'ERR_SYSTEM_ERROR') throw error;
  });
  const [config, credentials] = [files?.configFile[profile], files?.credentialsFile[profile]];
  return { ...credentials, ...config, region: credentials?.region ?? config?.region };
}

export interface AwsPlace {
  readonly region: string;
  /** Use hosts with cryptography validated by FIPS 140 (`AWS_USE_FIPS_ENDPOINT`). */
  readonly isFips: boolean;
  /** Use hosts that also have an IPv6 address (`AWS_USE_DUALSTACK_ENDPOINT`). */
  readonly isDualStack: boolean;
}

/** Services by their names in hosts. */
export type AwsHost = 'email' | 'sqs' | 'dynamodb' | 'ssm' | 'secretsmanager';

/**
 * A service's own address by the endpoint rules of the AWS SDK. Throws a `ClientError` if there is none.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
 */
export function awsAddress(host: AwsHost, { region, isFips, isDualStack }: AwsPlace): string {
  const [partition, , suffix, dualStackSuffix] = partitionOf(region, isFips);
  const isGov = partition === 'aws-us-gov';
  // In these partitions, the usual name of Secrets Manager has both kinds of address.
  const isBoth = host === 'secretsmanager' && (isGov || /^aws(-cn)?$/.test(partition));
  // GovCloud's usual hosts are validated.
  const isUsualFips = isGov && !isDualStack && (host === 'sqs' || host === 'dynamodb' || host === 'ssm');
  const name = isFips && !isUsualFips ? `${host}-fips` : host;
  return `https://${name}.${region}.${isDualStack && !isBoth ? dualStackSuffix : suffix}`;
}

/** The host of S3, or of its access points, where a bucket's name may stand before it. */
export function s3Host(kind: 's3' | 's3-accesspoint', { region, isFips, isDualStack }: AwsPlace): string {
  const [, , suffix] = partitionOf(region, isFips);
  return `${kind}${isFips ? '-fips' : ''}${isDualStack ? '.dualstack' : ''}.${region}.${suffix}`;
}

/** A region's partition. Throws a `ClientError` if that has no FIPS hosts and they are asked for. */
export function partitionOf(region: string, isFips = false): Partition {
  const partition = partitions.find(([, regions]) => new RegExp(regions).test(region)) ?? partitions[0];
  if (isFips && partition[0] === 'aws-cn') throw failed('aws_without_fips', { region });
  return partition;
}
