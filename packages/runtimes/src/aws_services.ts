import { lazy } from '@form-relay/base/maybe_promise';
import type { Services } from '@form-relay/core/services';

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const waiting = { sleep, random: Math.random };

/** AWS and what its clients need, on every runtime. Clients are loaded with their first use, for the sake of cold starts. */
export const awsServices = (
  aws: Services['aws'],
): Pick<Services, 'sleep' | 'random' | 'aws' | 'ses' | 'readObject'> => ({
  ...waiting,
  aws,
  ses: lazy(async () => (await import('@form-relay/clients/aws/ses_client')).createSesClient(await aws())),
  readObject: lazy(async () =>
    (await import('@form-relay/clients/aws/s3')).createS3Client(await aws(), waiting),
  ),
});
