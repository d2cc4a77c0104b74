import { lazy } from '@form-relay/base/maybe_promise';
import type { Services } from '@form-relay/core/services';

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const waiting = { sleep, random: Math.random };

/** The AWS services, for every runtime. Loads a client when it is first used, to keep cold starts short. */
export const awsServices = (
  aws: Services['aws'],
): Pick<Services, 'sleep' | 'random' | 'aws' | 'ses' | 'readObject'> => ({
  ...waiting,
  aws,
  ses: lazy(async () => (await import('@form-relay/clients/aws/ses_client')).createSesClient(await aws())),
  readObject: lazy(async () =>
    (await import('@form-relay/clients/aws/s3_client')).createS3Client(await aws(), waiting),
  ),
});
