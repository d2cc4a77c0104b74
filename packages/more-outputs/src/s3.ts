import type { Plugin, Schema } from '@form-relay/core/index';
import { outputType, required, schemaLike, shown, text, withDefault } from '@form-relay/core/kit';
import { entriesOf, keepsFile, sealForOf, sealKeys, sealProblems, untemplated } from './archive.ts';
import type { Entry } from './archive_layout.ts';

const unused = {
  arn: 'ARNs of access points were removed in 0.2.0; write the name of the bucket, or the alias of the access point',
  reserved: 'the relay does not speak to directory buckets (S3 Express One Zone) and S3 on Outposts',
};

/** A name, of which S3 takes less and others take what stood in it before 2018. */
const bucketName: Schema<string> = schemaLike(text(), (value, at) => {
  const found = untemplated(text())(value, at);
  if (found === undefined || /^[a-z\d][\w.-]{1,253}[a-z\d]$/i.test(found)) return found;
  if (found.startsWith('arn:')) return at.error(`${found} cannot be used as a bucket: ${unused.arn}`);
  const [, bucket = '', prefix = ''] = /^s3:\/\/([\w.-]+)\/?(.*?)\/?$/.exec(found) ?? [];
  const hint =
    bucket === '' ? 'such as forms-example-com' : `${bucket}${prefix && `, and prefix: ${prefix}`}`;
  return at.error(`found ${shown(found, at)}; expected the name of a bucket: ${hint}`);
});

/** A folder of the bucket: empty, or with a slash at its end. */
const prefix: Schema<string> = schemaLike(text(), (value, at) => {
  const written = untemplated(text())(value, at)?.replaceAll(/^\/|\/$/g, '');
  if (written === undefined || written === '') return written;
  if (/[\0-\x1f\x7f]/.test(written) || /(^|\/)(\.{0,2})(\/|$)/.test(written))
    return at.error(
      `found ${shown(value, at)}; expected what the keys begin with, such as forms or forms/eu: a URL cannot hold ".", ".." or nothing between slashes`,
    );
  return `${written}/`;
});

const s3 = outputType({
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
  },
  isArchive: true,
  problems: (output, at) => {
    sealProblems(output, at);
    // S3 gives these names to other things than buckets, so nothing can be written there.
    if (output.bucket !== undefined && /--(?:xa?|op)-s3$/.test(output.bucket))
      at.in('bucket').warning(`${output.bucket} cannot be used as a bucket: ${unused.reserved}`);
  },
  sendsOfItself: () => true,
  open: (output, { services, form }) => {
    const { bucket, prefix } = output;
    const entryOf = entriesOf(output, form);
    const sealFor = sealForOf(output);
    const store = async (entry: Entry, timeoutMs: number) => {
      // With the first entry, for the sake of cold starts.
      const [{ storeEntry }, { createPutObject }] = await Promise.all([
        import('./store_entry.ts'),
        import('@form-relay/clients/aws/s3_request'),
      ]);
      const put = createPutObject(await services.aws());
      await storeEntry(entry, sealFor, timeoutMs, services, (object, timeoutMs) =>
        put({ bucket, key: prefix + object.path, object, timeoutMs }),
      );
    };
    return {
      protocol: 's3',
      host: `s3://${bucket}`,
      target: `s3://${bucket}/${prefix}`,
      takesFile: keepsFile(output),
      send: async (delivery, timeoutMs) => {
        await store(entryOf(delivery), timeoutMs);
        return undefined;
      },
      // A rule of the bucket removes old ones.
      rejected: {
        store: (delivery, rejection, timeoutMs) => store(entryOf(delivery, rejection), timeoutMs),
      },
    };
  },
});

export const plugin: Plugin = { name: 's3', outputs: [s3] };
