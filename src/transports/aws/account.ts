import { failed } from '../../client_error.ts';
import type { Effects } from '../../effects.ts';
import { inTime } from '../../in_time.ts';
import { parseUrl } from '../../url.ts';
import type { NodeHttp } from '../http/node_client.ts';
import type { AwsCredentials } from './sign.ts';

/** What every AWS client needs. */
export interface Aws {
  readonly account: AwsAccount;
  readonly http: NodeHttp;
  readonly now: () => number;
}

/** Who the relay is to AWS, and where. */
export interface AwsAccount {
  credentials(): Promise<AwsCredentials>;
  region(): Promise<string>;
  /** A service's address from AWS_ENDPOINT_URL_<SERVICE> or AWS_ENDPOINT_URL; `undefined` for AWS's own. */
  endpoint(service: 'S3' | 'SESV2' | 'SQS'): string | undefined;
}

/** AWS's own address for a service. */
export const awsAddress = (host: string, region: string): string =>
  `https://${host}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

/**
 * The variables that AWS users know. Credentials that stand in the environment, as on Lambda, are used as they are;
 * otherwise the AWS SDK's own chain finds them (profiles, SSO, containers, instance metadata), loaded only then: it
 * costs 80 ms and 28 MB.
 */
export function awsAccount(env: Effects['env']): AwsAccount {
  const profile = env('AWS_PROFILE') || undefined;
  const askChain = credentialChain(profile);
  return {
    async credentials() {
      const accessKeyId = env('AWS_ACCESS_KEY_ID');
      const secretAccessKey = env('AWS_SECRET_ACCESS_KEY');
      if (accessKeyId && secretAccessKey) {
        return { accessKeyId, secretAccessKey, sessionToken: env('AWS_SESSION_TOKEN') || undefined };
      }
      return askChain();
    },
    async region() {
      const region = env('AWS_REGION') || env('AWS_DEFAULT_REGION') || (await profileRegion(profile));
      if (!region) throw failed('aws_without_region');
      if (!/^[a-z0-9-]+$/.test(region)) throw failed('aws_region_malformed', { region });
      return region;
    },
    endpoint(service) {
      const url = env(`AWS_ENDPOINT_URL_${service}`) || env('AWS_ENDPOINT_URL');
      if (!url) return undefined;
      if (!/^https?:/.test(url) || !parseUrl(url)) {
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

async function profileRegion(profile = 'default'): Promise<string | undefined> {
  const { loadSharedConfigFiles } = await import('@smithy/shared-ini-file-loader');
  const { configFile, credentialsFile } = await loadSharedConfigFiles();
  return credentialsFile[profile]?.region ?? configFile[profile]?.region;
}
