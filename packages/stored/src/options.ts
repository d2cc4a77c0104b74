/** Options shared by commands about stored submissions. */
import { addressForm } from '@form-relay/base/canonical';
import { flag, needed, option, repeated } from '@form-relay/core/command';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import { age, anyText, fileName, textSchema } from '@form-relay/schema/scalars';

/** An archive: a folder, or a prefix in a bucket. */
export const archiveName = textSchema((text, at) =>
  text.startsWith('s3://') && !/^s3:\/\/[a-z\d][a-z\d._-]+(\/|$)/i.test(text)
    ? at.error('Expected s3://BUCKET or s3://BUCKET/PREFIX.')
    : fileName(text, at),
);

/** A store of queued deliveries: a folder, or the address of a queue. */
const storeName = textSchema((text, at) =>
  /^[a-z][a-z\d+.-]*:/i.test(text) && !/^(sqs|nats|tls):\/\/./.test(text)
    ? at.error('Expected a folder, sqs://… or nats://….')
    : fileName(text, at),
);

/** An address in any spelling that a field of type `email` accepts. */
export const writtenAddress = textSchema((text, at) =>
  addressForm.test(text) ? text : at.error('Expected an address such as ada@example.org.'),
);

/** The index of an output in its form. */
export const outputPlace = textSchema((text, at) =>
  /^\d{1,3}$/.test(text) ? Number(text) : at.error('Expected the index of an output, from 0, such as 1.'),
);

const dayMs = 86_400_000;

/** A number of whole days, in milliseconds. */
export const wholeDays = textSchema((text, at) => {
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  return days === undefined ? at.error('Expected a number of days such as 90d.') : Number(days) * dayMs;
});

/** A time, or the start of a day; with `isEnd`, the end of that day. In milliseconds since the epoch. */
const dayOrMoment = (isEnd: boolean) =>
  textSchema((text, at) => (text.includes('T') ? moment(text, at) : dayStart(text, at, isEnd ? dayMs : 0)));

function moment(text: string, at: Diagnostics): number | undefined {
  const ms = Date.parse(text);
  const hasZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(text);
  return Number.isNaN(ms) || !hasZone
    ? at.error('Expected a time such as 2030-12-31T23:59:59Z, or Unix seconds.')
    : ms;
}

function dayStart(text: string, at: Diagnostics, laterMs: number): number | undefined {
  const start = Date.parse(`${text}T00:00:00Z`);
  const isReal = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(start);
  return !isReal || new Date(start).toISOString().slice(0, 10) !== text
    ? at.error('Expected a day such as 2030-12-31, or a time such as 2030-12-31T23:59:59Z.')
    : start + laterMs;
}

/** The archive that a command reads. */
export const archiveOption = needed('archive', 'the archive: a folder, or s3://BUCKET/PREFIX', archiveName);

/** Like `archiveOption`, or the archive of the config. */
export const fromOwn = option(
  'archive',
  'the archive: a folder, or s3://BUCKET/PREFIX (default: that of the config)',
  archiveName,
);

/** The archives that a command about a person searches. */
export const fromSome = repeated(
  'archive',
  'an archive; may be repeated. Default: all in the config',
  archiveName,
);

/** Like `fromSome`, or the one archive that a command reads. */
export const fromOne = repeated(
  'archive',
  'the archive; with --email, may be repeated. Default: that of the config; with --email, all',
  archiveName,
);

export const mentions = flag('also submissions that only mention the address in longer text');

export const verdictsFile = option(
  'file',
  'the file with the marks (default: ARCHIVE.verdicts.jsonl, beside the folder)',
  fileName,
);

export const identity = option('file', 'the file with the private key, for sealed submissions', fileName);

export const form = option('name', 'only this form', anyText);

export const since = option(
  'date',
  'from this day on, such as 2030-12-31 (UTC), or from this time on',
  dayOrMoment(false),
);

export const until = option('date', 'up to the end of this day, or before this time', dayOrMoment(true));

/** The format, which has a default. */
export const format = needed(
  'format',
  'csv: a table; jsonl: all data, for programs',
  textSchema((text) => text as 'csv' | 'jsonl'),
  { choices: ['csv', 'jsonl'], fallback: 'csv' },
);

/** The store for commands about queued deliveries. */
export const store = option(
  'place',
  "use this store instead of the config's: a folder, sqs://…, nats://…",
  storeName,
);

export const olderThan = option(
  'age',
  'only deliveries queued for at least this long, such as 12h or 2d',
  age,
);

export const due = flag('only deliveries that the relay retries automatically', { conflicts: ['aside'] });

export const aside = flag('only dead letters');

export const output = option(
  'place',
  'for deliveries whose output was removed: index of another output, from 0',
  outputPlace,
);
