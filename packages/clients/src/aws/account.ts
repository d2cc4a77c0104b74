import { parseUrl } from '@form-relay/base/url';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Aws, AwsAccount, AwsCredentials, AwsServiceId, Services } from '@form-relay/core/services';
import { createHttpClient } from '../http/http_client.ts';
import { failed } from './sign.ts';

/** The first label of each service's hosts, which is also the service's name in signatures, except for SES. */
export const hosts = {
  SESV2: 'email',
  SQS: 'sqs',
  DYNAMODB: 'dynamodb',
} as const satisfies Partial<Record<AwsServiceId, string>>;

/** The service's address: AWS's own, or one from the environment. Throws a `ClientError`. */
export const serviceAddress = (
  account: Pick<AwsAccount, 'endpoint'>,
  service: keyof typeof hosts,
  region: string,
): string => account.endpoint(service) ?? `https://${hosts[service]}.${region}.${suffixOf(region)}`;

/** Access to AWS for the relay's own process. */
export const ownAws = (
  readEnv: Services['env'],
  now: () => number,
  http = createHttpClient().bytes,
): Aws => ({ account: awsAccount(readEnv), http, now });

/**
 * Reads the environment variables that AWS users know. Without credentials in the environment, the AWS SDK's
 * credential chain finds them (profiles, SSO, containers, instance metadata). Loading the chain takes 80 ms and 28 MB.
 */
export function awsAccount(env: Services['env']): AwsAccount {
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
    async region(given) {
      const known = given ?? (env('AWS_REGION') || env('AWS_DEFAULT_REGION'));
      // Use the profile's region if the profile has the credentials, or if nothing else sets the region.
      const isNamed = profile !== undefined && !ownCredentials();
      const read = known && !isNamed ? undefined : await readProfile(profile);
      const region = known || read?.region;
      if (!region) throw failed('aws_without_region');
      // In a URL, `xn--` starts a name in another script.
      if (!/^(?!xn--)[a-z0-9-]+$/.test(region) || /^fips-|-fips$|-global$/.test(region))
        throw failed('aws_region_malformed', { region });
      // Owners who require FIPS must not silently get other hosts.
      if ((env('AWS_USE_FIPS_ENDPOINT') || read?.use_fips_endpoint) === 'true') throw failed('aws_fips');
      return region;
    },
    endpoint(service) {
      const url = env(`AWS_ENDPOINT_URL_${service}`) || env('AWS_ENDPOINT_URL');
      if (!url) return undefined;
      // Paths and queries are appended to the address.
      if (!/^https?:[^?#]+$/.test(url) || !parseUrl(url)) {
        throw failed('aws_endpoint_malformed', { service });
      }
      return url.replace(/\/$/, '');
    },
  };
}

/** The first timeout of the chain. A container's endpoint responds in milliseconds, a program in seconds. */
const firstPatienceMs = 4_000;
/** The longest timeout, which limits how late credentials are after a long outage. */
const mostPatienceMs = 120_000;

/**
 * The AWS SDK's credential chain. The chain shares one request among all callers and never times out, so a
 * new chain replaces one that takes too long. The SDK cannot be aborted, and an abandoned chain keeps a
 * connection or a program busy, so the next one gets twice the time. Rejects with a `ClientError`.
 */
function credentialChain(profile: string | undefined): AwsAccount['credentials'] {
  const load = async () => (await import('@aws-sdk/credential-provider-node')).defaultProvider({ profile });
  let chain: ReturnType<typeof load> | undefined;
  let patienceMs = firstPatienceMs;
  return async () => {
    chain ??= load();
    const current = chain;
    const timeoutMs = patienceMs;
    const answer = current
      .then((ask) => ask())
      .catch(() => {
        throw profile
          ? failed('aws_profile_without_credentials', { profile })
          : failed('aws_without_credentials');
      });
    const credentials = await withTimeout(timeoutMs, answer, () => {
      if (chain === current) {
        chain = undefined;
        patienceMs = Math.min(timeoutMs * 2, mostPatienceMs);
      }
      throw failed('aws_credentials_late', { timeoutMs }, { retryAfterMs: 0, isUnsent: true });
    });
    patienceMs = firstPatienceMs;
    return credentials;
  };
}

/** Reads the files like the SDK: the config file takes precedence, except for the region. */
async function readProfile(profile = 'default'): Promise<Readonly<Record<string, string | undefined>>> {
  const { loadSharedConfigFiles } = await import('@smithy/shared-ini-file-loader');
  const files = await loadSharedConfigFiles().catch((error) => {
    // In an image built FROM scratch, the user has no entry in /etc/passwd, and so no home folder.
    if (error.code !== 'ERR_SYSTEM_ERROR') throw error;
  });
  const [config, credentials] = [files?.configFile[profile], files?.credentialsFile[profile]];
  return { ...credentials, ...config, region: credentials?.region ?? config?.region };
}

/** The host of S3; a bucket's name may be prepended. */
export const s3Host = (region: string): string => `s3.${region}.${suffixOf(region)}`;

/** Partitions, each with its own accounts: the pattern of its regions, and the suffix of its hosts. */
const partitions = [
  [/^cn-[a-z]+-[0-9]+$/, 'amazonaws.com.cn'],
  [/^eusc-(de)-[a-z]+-[0-9]+$/, 'amazonaws.eu'],
  [/^us-iso-[a-z]+-[0-9]+$/, 'c2s.ic.gov'],
  [/^us-isob-[a-z]+-[0-9]+$/, 'sc2s.sgov.gov'],
  [/^eu-isoe-[a-z]+-[0-9]+$/, 'cloud.adc-e.uk'],
  [/^us-isof-[a-z]+-[0-9]+$/, 'csp.hci.ic.gov'],
] as const;

/** The suffix of hosts in a region. Unknown regions count as part of the public partition. */
export const suffixOf = (region: string): string =>
  partitions.find(([regions]) => regions.test(region))?.[1] ?? 'amazonaws.com';
