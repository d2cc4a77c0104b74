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

/** Who the relay is to AWS, and where. */
export interface AwsAccount {
  credentials(): Promise<AwsCredentials>;
  /** @param region Default: that of the environment, or of the profile. */
  place(region?: string): Promise<AwsPlace>;
  /** A service's address from AWS_ENDPOINT_URL_<SERVICE> or AWS_ENDPOINT_URL; `undefined` for AWS's own. */
  endpoint(service: AwsServiceId): string | undefined;
}

export type AwsServiceId = 'S3' | 'SESV2' | 'SQS' | 'SSM' | 'SECRETS_MANAGER';

const hosts = {
  SESV2: 'email',
  SQS: 'sqs',
  SSM: 'ssm',
  SECRETS_MANAGER: 'secretsmanager',
} as const satisfies Partial<Record<AwsServiceId, AwsHost>>;

/** Where a service is asked: its own address, or one that the environment gives instead. Throws a `ClientError`. */
export const serviceAddress = (
  account: Pick<AwsAccount, 'endpoint'>,
  service: keyof typeof hosts,
  place: AwsPlace,
): string => ownAddress(account, service, place) ?? awsAddress(hosts[service], place);

/** An address that the environment gives. One says nothing of FIPS and IPv6: so the SDK refuses both together. */
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

/** What chooses among AWS's own addresses, by its names in the environment and in a profile. */
const fipsSwitch = { env: 'AWS_USE_FIPS_ENDPOINT', key: 'use_fips_endpoint' } as const;
const dualStackSwitch = { env: 'AWS_USE_DUALSTACK_ENDPOINT', key: 'use_dualstack_endpoint' } as const;

/** AWS as the relay's own process reaches it. */
export const ownAws = (readEnv: Effects['env'], now: () => number): Aws => ({
  account: awsAccount(readEnv),
  http: createNodeHttp(now),
  now,
});

/**
 * The variables that AWS users know. Credentials that stand in the environment, as on Lambda, are used as they are;
 * otherwise the AWS SDK's own chain finds them (profiles, SSO, containers, instance metadata), loaded only then: it
 * costs 80 ms and 28 MB.
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
      // Read where it says who the relay is, or nothing else says where.
      const isNamed = profile !== undefined && !ownCredentials();
      const read = known && !isNamed ? undefined : await readProfile(profile);
      const region = known || read?.region;
      if (!region) throw failed('aws_without_region');
      // Names of a time when nothing else could say it.
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
      // What is asked for is written behind it.
      if (!/^https?:[^?#]+$/.test(url) || !parseUrl(url)) {
        throw failed('aws_endpoint_malformed', { service });
      }
      return url.replace(/\/$/, '');
    },
  };
}

/** How long the chain may take at first. A container's endpoint answers in milliseconds, a program in seconds. */
const firstPatienceMs = 4_000;
/** In a long outage: so long after its end, at most, credentials come again. */
const mostPatienceMs = 120_000;

/**
 * The AWS SDK's own chain. It asks once for everybody who waits, and waits for ever: so a chain that takes too long is
 * given up for a new one. The SDK cannot be told to stop, and each chain that was given up keeps a connection or a
 * program: so the next one gets twice the time. Rejects with a `ClientError`.
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

/** The files as the SDK reads them: what the credentials file says of the region wins, otherwise the config file. */
async function readProfile(profile = 'default'): Promise<Readonly<Record<string, string | undefined>>> {
  const { loadSharedConfigFiles } = await import('@smithy/shared-ini-file-loader');
  const { configFile, credentialsFile } = await loadSharedConfigFiles();
  const [config, credentials] = [configFile[profile], credentialsFile[profile]];
  return { ...credentials, ...config, region: credentials?.region ?? config?.region };
}

export interface AwsPlace {
  readonly region: string;
  /** Of hosts whose cryptography is validated by FIPS 140 (`AWS_USE_FIPS_ENDPOINT`). */
  readonly isFips: boolean;
  /** Of hosts that have an IPv6 address, too (`AWS_USE_DUALSTACK_ENDPOINT`). */
  readonly isDualStack: boolean;
}

/** As AWS's hosts call them. */
export type AwsHost = 'email' | 'sqs' | 'ssm' | 'secretsmanager';

/**
 * A service's own address, as the endpoint rules of the AWS SDK have it. Throws a `ClientError` where there is none.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
 */
export function awsAddress(host: AwsHost, { region, isFips, isDualStack }: AwsPlace): string {
  const [partition, , suffix, dualStackSuffix] = partitionOf(region, isFips);
  const isGov = partition === 'aws-us-gov';
  // In these parts of AWS, Secrets Manager has both kinds of address under its one name.
  const isBoth = host === 'secretsmanager' && (isGov || /^aws(-cn)?$/.test(partition));
  // GovCloud's usual hosts are validated.
  const isUsualFips = isGov && !isDualStack && (host === 'sqs' || host === 'ssm');
  const name = isFips && !isUsualFips ? `${host}-fips` : host;
  return `https://${name}.${region}.${isDualStack && !isBoth ? dualStackSuffix : suffix}`;
}

/** The host of S3, or of its access points, where a bucket's name may stand before it. */
export function s3Host(kind: 's3' | 's3-accesspoint', { region, isFips, isDualStack }: AwsPlace): string {
  const [, , suffix] = partitionOf(region, isFips);
  return `${kind}${isFips ? '-fips' : ''}${isDualStack ? '.dualstack' : ''}.${region}.${suffix}`;
}

/** The AWS that a region is of. Throws a `ClientError` where it has none of the hosts that are asked for. */
export function partitionOf(region: string, isFips = false): Partition {
  const partition = partitions.find(([, regions]) => new RegExp(regions).test(region)) ?? partitions[0];
  if (isFips && partition[0] === 'aws-cn') throw failed('aws_without_fips', { region });
  return partition;
}
