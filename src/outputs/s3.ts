import * as v from 'valibot';
import { finding } from '../config_finding.ts';
import { err, ok } from '../result.ts';
import type { Schema } from '../schema/any_schema.ts';
import { read, wrong } from '../schema/issue.ts';
import { required, withDefault } from '../schema/keys.ts';
import { text } from '../schema/kinds.ts';
import { s3Target } from '../transports/s3/s3_message.ts';
import { archived, keepsFile, sealForOf, sealKeys, sealProblems, untemplated } from './archive_outputs.ts';
import { outputType } from './output.ts';

/** S3 takes less; others take what stood in it before 2018. */
const bucketName: Schema<string> = v.pipe(
  untemplated(text()),
  read((found) => {
    if (/^[a-z\d][\w.-]{1,253}[a-z\d]$/i.test(found)) return ok(found);
    const [, bucket = '', prefix = ''] = /^s3:\/\/([\w.-]+)\/?(.*?)\/?$/.exec(found) ?? [];
    return err(finding('bucket_malformed', [], { found, bucket, prefix }));
  }),
);

/** A folder of the bucket: empty, or with a slash at its end. */
const prefix: Schema<string> = v.pipe(
  untemplated(text()),
  v.transform((written) => written.replaceAll(/^\/|\/$/g, '')),
  v.check(
    (written) => written === '' || (!/[\0-\x1f\x7f]/.test(written) && !/(^|\/)(\.{0,2})(\/|$)/.test(written)),
    wrong('prefix_malformed'),
  ),
  v.transform((written) => (written === '' ? '' : `${written}/`)),
);

export const s3 = outputType({
  type: 's3',
  summary:
    'Keeps each submission in an S3 bucket, of Amazon or of another make: a JSON document and its files, of all fields or of what `mapping` names.',
  keys: {
    bucket: required(
      'The bucket, which is written to with the AWS credentials and region of the environment. Never templated.',
      bucketName,
    ),
    prefix: withDefault('', 'A folder of the bucket, such as `forms`. Never templated.', prefix),
    ...sealKeys,
  },
  problems: sealProblems,
  target: (output) => s3Target({ bucket: output.bucket, prefix: output.prefix, sealFor: sealForOf(output) }),
  message: (output, job, scope) => {
    const { bucket, prefix } = output;
    return { via: 's3', bucket, prefix, ...archived(output, job, scope) };
  },
  sendsOfItself: () => true,
  takesFile: keepsFile,
});
