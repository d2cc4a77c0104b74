import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Partition } from '../../packages/relay/src/transports/aws/partitions.ts';

/** What the AWS SDK knows of a partition, as far as it matters here. */
interface SdkPartition {
  readonly id: string;
  readonly regionRegex: string;
  readonly outputs: { readonly dnsSuffix: string; readonly dualStackDnsSuffix: string };
}

/** `packages/relay/src/transports/aws/partitions.ts`, from the data of the SDK that is installed. */
export async function awsPartitions(): Promise<string> {
  // The SDK exports no way to it: where a version has it elsewhere, this fails.
  const sdk = createRequire(createRequire(import.meta.url).resolve('@aws-sdk/client-s3'));
  const [root = ''] = sdk.resolve('@aws-sdk/core/client').split('dist-cjs');
  const file = join(root, 'dist-es/submodules/client/util-endpoints/lib/aws/partitions.js');
  const { partitionsInfo } = await import(pathToFileURL(file).href);
  const lines = (partitionsInfo.partitions as readonly SdkPartition[])
    .map(
      ({ id, regionRegex, outputs }): Partition => [
        id,
        // Without escapes, which nothing in it needs.
        regionRegex.replaceAll('\\-', '-').replaceAll('\\w', '[a-z]').replaceAll('\\d', '[0-9]'),
        outputs.dnsSuffix,
        outputs.dualStackDnsSuffix,
      ],
    )
    .map((row) => `  [${row.map((text) => `'${text}'`).join(', ')}],`);
  return [
    '// Written by `npm run generate` from the AWS SDK.',
    '',
    '/** Its name, what its regions are called as a regular expression, and how hosts end: of IPv4 alone, and of both. */',
    'export type Partition = readonly [name: string, regions: string, suffix: string, dualStackSuffix: string];',
    '',
    '/** Each is an AWS of its own, with accounts of its own. The first stands in for one that is not known. */',
    'export const partitions: readonly [Partition, ...Partition[]] = [',
    ...lines,
    '];',
    '',
  ].join('\n');
}
