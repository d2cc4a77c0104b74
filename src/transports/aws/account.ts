import { failed } from '../../client_error.ts';
import type { Effects } from '../../effects.ts';
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
  endpoint(service: 'S3' | 'SESV2'): string | undefined;
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
  let chain: (() => Promise<AwsCredentials>) | undefined;
  const profile = () => env('AWS_PROFILE') || undefined;
  return {
    async credentials() {
      const accessKeyId = env('AWS_ACCESS_KEY_ID');
      const secretAccessKey = env('AWS_SECRET_ACCESS_KEY');
      if (accessKeyId && secretAccessKey) {
        return { accessKeyId, secretAccessKey, sessionToken: env('AWS_SESSION_TOKEN') || undefined };
      }
      try {
        chain ??= (await import('@aws-sdk/credential-provider-node')).defaultProvider({ profile: profile() });
        return await chain();
      } catch {
        const name = profile();
        throw name
          ? failed('aws_profile_without_credentials', { profile: name })
          : failed('aws_without_credentials');
      }
    },
    async region() {
      const region = env('AWS_REGION') || env('AWS_DEFAULT_REGION') || (await profileRegion(profile()));
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

async function profileRegion(profile = 'default'): Promise<string | undefined> {
  const { loadSharedConfigFiles } = await import('@smithy/shared-ini-file-loader');
  const { configFile, credentialsFile } = await loadSharedConfigFiles();
  return credentialsFile[profile]?.region ?? configFile[profile]?.region;
}
