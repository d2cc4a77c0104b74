import type { Plugin } from '@form-relay/core/index';
import { outputType } from '@form-relay/core/outputs/output';
import { shown } from '@form-relay/schema/diagnostics';
import { storagePlace, text } from '@form-relay/schema/scalars';
import { checked, required, withDefault } from '@form-relay/schema/schema';
import { archiving } from './archive.ts';

const unused = {
  arn: 'ARNs are not supported; use the name of the bucket, or the alias of the access point',
  reserved: 'the relay does not support directory buckets (S3 Express One Zone) or S3 on Outposts',
};

/** A bucket name. S3 no longer allows all names that it allowed before 2018, but other services may. */
const bucketName = checked(checked(text(), storagePlace), (found, at) => {
  if (/^[a-z\d][\w.-]{1,253}[a-z\d]$/i.test(found)) return found;
  if (found.startsWith('arn:')) return at.error(`${found} cannot be used as a bucket: ${unused.arn}`);
  const [, bucket = '', prefix = ''] = /^s3:\/\/([\w.-]+)\/?(.*?)\/?$/.exec(found) ?? [];
  const hint =
    bucket === '' ? 'such as forms-example-com' : `${bucket}${prefix && `, and prefix: ${prefix}`}`;
  return at.error(`found ${shown(found, at)}; expected the name of a bucket: ${hint}`);
});

/** A folder in the bucket: empty, or with a slash at its end. */
const prefix = checked(checked(text(), storagePlace), (found, at) => {
  const written = found.replaceAll(/^\/|\/$/g, '');
  if (written === '') return written;
  if (/[\0-\x1f\x7f]/.test(written) || /(^|\/)(\.{0,2})(\/|$)/.test(written))
    return at.error(
      `found ${shown(found, at)}; expected a key prefix such as forms or forms/eu, without ".", ".." or empty parts between slashes`,
    );
  return `${written}/`;
});

const s3 = outputType({
  type: 's3',
  summary: 'Stores each submission in a bucket of S3 or a compatible service, as `folder` does.',
  keys: {
    bucket: required(
      'Bucket, or alias of an access point (`my-bucket`), with the AWS credentials and region of the environment. Never templated.',
      bucketName,
    ),
    prefix: withDefault('', 'Folder in the bucket, such as `forms`. Never templated.', prefix),
  },
  isArchive: true,
  problems: (output, at) => {
    // S3 reserves these names for other resources, to which nothing can be written.
    if (output.bucket !== undefined && /--(?:xa?|op)-s3$/.test(output.bucket))
      at.in('bucket').warning(`${output.bucket} cannot be used as a bucket: ${unused.reserved}`);
  },
  sendsOfItself: () => true,
  open: (output, context) => {
    const { bucket, prefix } = output;
    const { aws } = context.services;
    const target = `s3://${bucket}/${prefix}`;
    return {
      protocol: 's3',
      host: `s3://${bucket}`,
      target,
      probe: async (call) =>
        (await import('./archive_probes.ts')).probeBucket(await aws(), target, output, call),
      // A lifecycle rule of the bucket removes old rejected entries.
      ...archiving(output, context, async () => {
        const { createPutObject } = await import('@form-relay/clients/aws/s3_client');
        const put = createPutObject(await aws());
        return (object, timeoutMs) => put({ bucket, key: prefix + object.path, object, timeoutMs });
      }),
    };
  },
});

export const plugin: Plugin = { name: 's3', outputs: [s3] };
