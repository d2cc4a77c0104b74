/** The key `journal` at the top of a config. */
import * as v from 'valibot';
import type { JournalKey, JournalPlace } from '../base/journal_line.ts';
import { err, ok, type Result } from '../base/result.ts';
import { bucketName, prefix, untemplated } from '../outputs/archive_outputs.ts';
import type { Schema } from '../schema/any_schema.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { read } from '../schema/issue.ts';
import { required, section, withDefault } from '../schema/keys.ts';
import { duration, name } from '../schema/kinds.ts';
import { readBucketUrl } from '../transports/s3/s3_transport.ts';

const place: Schema<JournalPlace> = v.pipe(untemplated(name()), read(placeOf));

function placeOf(found: string): Result<JournalPlace, Finding> {
  if (!/^[a-z][a-z\d+.-]*:/i.test(found)) return ok({ kind: 'folder', name: found, path: found });
  const { bucket, rest = '' } = readBucketUrl(found) ?? {};
  const parsed = v.safeParse(bucketName, bucket);
  const path = v.safeParse(prefix, rest);
  return parsed.success && path.success
    ? ok({ kind: 's3', name: found, bucket: parsed.output, prefix: path.output })
    : err(finding('journal_place_unknown', [], { found }));
}

export const journalKeys = {
  in: required(
    'A folder of this machine, which must be there, or a bucket: `s3://bucket/prefix`. Never templated.',
    place,
  ),
  for: withDefault(
    '90d',
    'For how long the journal stays in a folder. Buckets leave that to their lifecycle rules.',
    duration({ leastMs: 24 * 3_600_000, hasDays: true }),
  ),
};

export const journalSchema: Schema<JournalKey> = v.pipe(
  section(journalKeys, '{in: /var/lib/form-relay/journal}'),
  v.transform(({ in: where, for: forMs }): JournalKey => ({ in: where, forMs })),
);
