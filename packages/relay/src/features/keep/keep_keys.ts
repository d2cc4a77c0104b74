import * as v from 'valibot';
import type { Keep, KeepPlace } from '../../base/kept.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { parseUrl } from '../../base/url.ts';
import { bucketName, prefix, untemplated } from '../../outputs/archive_outputs.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { findingOf, read } from '../../schema/issue.ts';
import { optional, required, section, withDefault } from '../../schema/keys.ts';
import { choice, duration, name } from '../../schema/kinds.ts';
import { readBucketUrl } from '../../transports/s3/s3_transport.ts';

/** Each kind of store has a line here, and one in keeping/stores/index.ts. */
const places: Readonly<Record<string, (found: string) => Result<KeepPlace, Finding>>> = {
  sqs: sqsPlace,
  // The address as AWS shows it.
  https: (found) => err(finding(isQueue(found) ? 'keep_not_a_queue' : 'keep_place_unknown', [], { found })),
  queue: queuePlace,
  nats: natsPlace,
  tls: natsPlace,
};

const place: Schema<KeepPlace> = v.pipe(untemplated(name()), read(placeOf));

const isQueue = (found: string) => /^https:\/\/(?:[\w-]+\.)*sqs\./i.test(found);

export function placeOf(found: string): Result<KeepPlace, Finding> {
  const [, scheme] = /^([a-z][a-z\d+.-]*):/i.exec(found) ?? [];
  if (scheme === undefined) return ok({ kind: 'folder', name: found, path: found });
  if (/^[^/]*\/\/[^/]*@/.test(found)) return err(finding('keep_place_with_credentials', []));
  return places[scheme.toLowerCase()]?.(found) ?? err(finding('keep_place_unknown', [], { found }));
}

/** The address of a standard queue, with another scheme: a FIFO queue delays no message by itself. */
function sqsPlace(found: string): Result<KeepPlace, Finding> {
  const url = parseUrl(found);
  // SQS is asked by https, which takes fewer hosts than an unknown scheme.
  return url && parseUrl(`https://${url.host}/`) && /^sqs:\/\/[^/?#]+\/\d{12}\/[\w-]{1,80}$/i.test(found)
    ? ok({ kind: 'sqs', name: found, url })
    : err(finding('keep_not_a_queue', [], { found }));
}

/** `queue://KEPT/ASIDE`: the bindings of two queues of Cloudflare. */
function queuePlace(found: string): Result<KeepPlace, Finding> {
  const [, binding = '', aside = ''] = /^queue:\/\/(\w{1,100})\/(\w{1,100})$/i.exec(found) ?? [];
  if (binding === aside) return err(finding('keep_not_two_queues', [], { found }));
  return ok({ kind: 'queue', name: found, binding, aside });
}

/** `nats://host:4222/stream`; of several servers, the hosts stand with commas between them. */
function natsPlace(found: string): Result<KeepPlace, Finding> {
  const [, scheme = '', hosts = '', stream = ''] = /^(\w+):\/\/([^/]+)\/([\w-]{1,200})\/?$/.exec(found) ?? [];
  const servers = hosts.split(',');
  const areHosts = servers.every((server) => /^[^\s?#]+$/.test(server) && parseUrl(`http://${server}`));
  if (!areHosts) return err(finding('keep_not_a_stream', [], { found }));
  return ok({ kind: 'nats', name: found, servers, stream, isTls: scheme.toLowerCase() === 'tls' });
}

/** `s3://bucket` or `s3://bucket/prefix`. */
const bucketUrl: Schema<Keep['filesIn']> = v.pipe(
  untemplated(name()),
  read((found): Result<Keep['filesIn'], Finding> => {
    const { bucket, rest = '' } = readBucketUrl(found) ?? {};
    const parsed = v.safeParse(bucketName, bucket);
    const path = v.safeParse(prefix, rest);
    return parsed.success && path.success
      ? ok({ bucket: parsed.output, prefix: path.output })
      : err(finding('not_a_bucket_url', [], { found }));
  }),
);

export const keepKeys = {
  in: required(
    'Where it waits: a folder of this machine, which must be there; or a queue: `sqs://…`, `nats://…`, or `queue://…` on Cloudflare Workers (docs/keep.md). Never templated.',
    place,
  ),
  for: withDefault(
    '14d',
    'For how long a delivery is tried again.',
    duration({ leastMs: 60_000, hasDays: true }),
  ),
  // biome-ignore lint/suspicious/noThenProperty: the config reads "for: 14d, then: delete".
  then: withDefault(
    'aside',
    'What becomes of it after that: it stays, and waits for its owner (`aside`), or is forgotten (`delete`).',
    choice(['aside', 'delete']),
  ),
  files_in: optional(
    'Where `sqs://…` and `queue://…` leave what is too large for a message: `s3://bucket/prefix`.',
    bucketUrl,
  ),
};

export const keepSchema: Schema<Keep> = v.pipe(
  section(keepKeys, '{in: /var/lib/form-relay}'),
  v.transform(
    ({ in: where, for: forMs, then, files_in: filesIn }): Keep => ({ in: where, forMs, then, filesIn }),
  ),
);

/** All of it for a place that is named elsewhere than in a config. */
export function keepIn(place: string): Result<Keep, Finding> {
  const { success, output, issues } = v.safeParse(keepSchema, { in: place });
  return success ? ok(output) : err(findingOf(issues[0]));
}
