import type { Diagnostics, Plugin, Registered, Schema, Services, Shared } from '@form-relay/core/index';
import {
  ClientError,
  duration,
  feature,
  object,
  optional,
  removed,
  required,
  shown,
  textSchema,
  warnOfRelativeFolder,
  withDefault,
} from '@form-relay/core/kit';
import type { JournalKey, JournalLine, JournalPlace } from './lines.ts';
import { type Journal, openJournal } from './open_journal.ts';
import { submissionLine, tryLine } from './submission_lines.ts';

declare module '@form-relay/core/plugin' {
  interface Shared {
    readonly journal: JournalKey;
  }
}

const place: Schema<JournalPlace> = textSchema((found, at): JournalPlace | undefined => {
  if (found.includes('{{')) return at.error('this is never templated; write it out');
  if (found === '') return at.error('expected a folder, or a bucket as s3://bucket/prefix');
  if (!/^[a-z][a-z\d+.-]*:/i.test(found)) {
    warnOfRelativeFolder(found, at);
    return { kind: 'folder', name: found, path: found };
  }
  const [, bucket = '', rest = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(found) ?? [];
  const prefix = rest.replaceAll(/^\/|\/$/g, '');
  const isFine =
    /^[a-z\d][\w.-]{1,253}[a-z\d]$/i.test(bucket) &&
    !/[\0-\x1f\x7f]/.test(prefix) &&
    !(prefix !== '' && /(^|\/)(\.{0,2})(\/|$)/.test(prefix));
  if (isFine) return { kind: 's3', name: found, bucket, prefix: prefix === '' ? '' : `${prefix}/` };
  return at.error(
    `found ${shown(found, at)}; expected a folder such as /var/lib/form-relay/journal, or a bucket as s3://bucket/prefix`,
  );
});

const keys = {
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

const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** Writes down what became of each submission, without its values, and removes old files. */
export const plugin = (): Plugin => {
  let key: JournalKey | undefined;
  let journal: Journal | undefined;
  let services: Services | undefined;
  /** Journals of earlier configs, which write their last lines. */
  const closing = new Set<Promise<void>>();
  let stopSweeping: (() => void) | undefined;
  let sweptOn: number | undefined;
  let sweeping: Promise<void> | undefined;

  const sweep = () => {
    if (!services || key?.in.kind !== 'folder') return;
    const now = services.now();
    const today = Math.floor(now / dayMs);
    if (sweptOn === today) return;
    sweptOn = today;
    const { log } = services;
    const { path } = key.in;
    const before = now - key.forMs;
    sweeping = import('./folder.ts')
      .then(({ removeFiles }) => removeFiles(path, before))
      .catch((error) =>
        log('error', 'journal_failed', {
          reason: `old files stay: ${error instanceof ClientError ? error.message : 'internal error'}`,
        }),
      );
  };
  const write = (line: JournalLine | undefined) => {
    if (line) journal?.write(line);
  };
  const now = () => services?.now() ?? 0;
  const closeJournal = (): void => {
    if (!journal) return;
    const ending: Promise<void> = journal.close().finally(() => closing.delete(ending));
    closing.add(ending);
    journal = undefined;
  };
  const start = (next: JournalKey | undefined, given: Services) => {
    services = given;
    if (next?.in.name !== key?.in.name) closeJournal();
    if (next?.in.name !== key?.in.name || next?.forMs !== key?.forMs) sweptOn = undefined;
    key = next;
    if (!next) return;
    journal ??= openJournal(next.in, given);
    stopSweeping ??= given.repeat(hourMs, sweep);
    sweep();
  };
  return {
    name: 'journal',
    features: [
      feature({
        name: 'journal',
        keys: {
          top: {
            journal: optional(
              'Writes down what became of each submission, without its values, for the inbox and for you (docs/journal.md).',
              object(keys, '{in: /var/lib/form-relay/journal}'),
            ),
          },
          form: {
            stats: removed(
              '0.2.0',
              'it was hardly used',
              'leave it out; for pages, use the analytics of your site',
            ),
          },
        },
        configureTop: ({ journal: asked }, _: Diagnostics) =>
          asked?.in && asked.for !== undefined ? { in: asked.in, forMs: asked.for } : undefined,
        configure: () => undefined,
      }),
    ],
    onConfig: (_, { services: given, shared }: { services: Services; shared: Registered<Shared> }) =>
      start(shared.get('journal'), given),
    observe: (event) => write(submissionLine(event, now())),
    onLog: (_, event, fields) => {
      if (event === 'kept_delivery' && fields) write(tryLine(fields, now()));
    },
    flush: async () => journal?.flush(),
    onClose: async () => {
      stopSweeping?.();
      closeJournal();
      await Promise.all([...closing, sweeping]);
    },
  };
};
