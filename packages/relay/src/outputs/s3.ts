import { required, withDefault } from '../schema/keys.ts';
import { s3Target } from '../transports/s3/s3_transport.ts';
import {
  archived,
  bucketName,
  keepsFile,
  prefix,
  sealForOf,
  sealKeys,
  sealProblems,
  unusedBucket,
} from './archive_outputs.ts';
import { outputType } from './output.ts';
import { pdfKey } from './pdf_outputs.ts';

export const s3 = outputType({
  type: 's3',
  summary:
    'Keeps each submission in an S3 bucket, of Amazon or of another make: a JSON document and its files, of all fields or of what `mapping` names.',
  keys: {
    bucket: required(
      'The bucket, or the alias of an access point to it, which is written to with the AWS credentials and region of the environment. Never templated.',
      bucketName,
    ),
    prefix: withDefault('', 'A folder of the bucket, such as `forms`. Never templated.', prefix),
    ...sealKeys,
    ...pdfKey,
  },
  problems: sealProblems,
  warnings: ({ bucket }) => unusedBucket(bucket),
  target: (output) => s3Target({ bucket: output.bucket, prefix: output.prefix, sealFor: sealForOf(output) }),
  message: (output, job, scope) => {
    const { bucket, prefix } = output;
    return { via: 's3', bucket, prefix, ...archived(output, job, scope) };
  },
  sendsOfItself: () => true,
  takesFile: keepsFile,
  showsField: keepsFile,
});
