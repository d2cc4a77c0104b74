/** The key `archive: {for: …}` in a form or at the top: how long archives keep submissions. Older ones are removed daily. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ClientError, stackOf } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Config } from '@form-relay/core/config';
import type { Form, Life, Plugin, Values } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { documentName, droppedFolder, folderOf, stemOf } from '@form-relay/more-outputs/archive_layout';
import type { Alerts } from '@form-relay/queue/alerts';
import { object } from '@form-relay/schema/collections';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import { duration } from '@form-relay/schema/scalars';
import { optionalBlock, required } from '@form-relay/schema/schema';
import { isBucket, openArchive } from './open.ts';
import type { PruneArchive } from './prune_daily.ts';
import { readDocument } from './read_entry.ts';

declare module '@form-relay/core/plugin' {
  interface Shared {
    /** The retention time of removed forms and forms without one of their own, in milliseconds. */
    readonly archive: number;
  }
  interface Provided {
    readonly archive: number;
  }
}
declare module '@form-relay/core/services' {
  interface Services {
    /** Replaces this package's removal of old submissions. */
    readonly pruneArchive?: PruneArchive;
  }
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const archiveKey = optionalBlock(
  'Retention in archives of `folder` and `s3` outputs; at the top, also for removed forms (docs/archive-pruning.md).',
  object(
    {
      for: required(
        'How long to keep submissions and their files, in whole days (UTC).',
        duration({ leastMs: dayMs, hasDays: true }),
      ),
    },
    '{for: 180d}',
  ),
);

const nowhere = 'the form has no archive; add an output of type folder or s3, or remove this';

/** Reports the key if nothing is archived. */
function checkPlaces(
  top: unknown,
  forms: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  at: Diagnostics,
) {
  const without = [...forms].filter(([, { outputs }]) => Array.isArray(outputs) && !outputs.some(isArchive));
  if (top !== undefined && forms.size > 0 && without.length === forms.size) at.in('archive').error(nowhere);
  for (const [id, { archive }] of without)
    if (archive !== undefined) at.in('forms', id, 'archive').error(nowhere);
}

const isArchive = (output: { readonly isArchive?: boolean }): boolean => output.isArchive === true;

const retention = feature({
  name: 'archive',
  keys: { form: { archive: archiveKey }, top: { archive: archiveKey } },
  configureTop: ({ archive }, at, { forms }) => {
    checkPlaces(archive, forms, at);
    return archive?.for;
  },
  configure: ({ form: { archive }, shared }) => {
    const forMs = archive?.for ?? shared;
    return forMs === undefined ? undefined : { provides: forMs };
  },
});

type Retained = Pick<Config, 'forms' | 'shared'>;

/** A form's days that ended before this time are removed; milliseconds since the epoch. `undefined`: the form is kept. */
type Before = (id: string) => number | undefined;

/** The archives to prune. Rejected submissions have a retention time of their own; in buckets, lifecycle rules expire them. */
export function prunedArchives({ forms, shared }: Retained, now: number): ReadonlyMap<string, Before> {
  const ofForm = (id: string, key: 'archive' | 'keep_dropped') => forms.get(id)?.provided.get(key);
  const beforeBy =
    (forMsOf: (id: string) => number | undefined): Before =>
    (id) => {
      const forMs = forMsOf(id);
      return forMs === undefined ? undefined : now - forMs;
    };
  // Removed forms use the time at the top.
  const top = shared.get('archive');
  const delivered = beforeBy((id) => (forms.has(id) ? ofForm(id, 'archive') : top));
  const rejected = beforeBy((id) => ofForm(id, 'keep_dropped'));
  const all = [...forms.values()];
  const isPruned = ({ provided }: Form) => (top ?? provided.get('archive')) !== undefined;
  const dropping = all.filter(({ provided }) => provided.get('keep_dropped') !== undefined);
  return new Map([
    ...[...archivesIn(all.filter(isPruned))].map((archive) => [archive, delivered] as const),
    ...[...archivesIn(dropping)]
      .filter((archive) => !archive.startsWith('s3://'))
      .map((archive) => [`${archive}/${droppedFolder}`, rejected] as const),
  ]);
}

/** The archives of forms: folders, and `s3://bucket/prefix`. */
export function archivesIn(forms: readonly Form[]): ReadonlySet<string> {
  const outputs = forms.flatMap((form) => form.outputs);
  const places = outputs.flatMap(({ isArchive, transport }) => (isArchive && transport?.target) || []);
  return new Set(places.map((name) => name.replace(/(.)\/+$/, '$1')));
}

/** Keys of other plug-ins for which the relay loads this one. */
export const uses = ['spam keep_dropped', 'topSpam keep_dropped'];

/**
 * Removes old submissions once a day, and tells the owner when it does not. Each relay needs its own plug-in,
 * because it records when it did.
 */
export function plugin(): Plugin {
  let current: Life | undefined;
  let pruning: Promise<void> | undefined;
  /** The day on which this process last pruned, by archive. */
  const prunedOn = new Map<string, number>();

  const prune = async () => {
    if (!current) return;
    const now = current.services.now();
    for (const [archive, before] of prunedArchives(current, now)) {
      if (!current) return;
      const { services, shared } = current;
      const today = Math.floor(now / dayMs);
      if (prunedOn.get(archive) === today) continue;
      prunedOn.set(archive, today);
      const { log } = services;
      const reportHeld = (reason: string) => {
        log('error', 'archive_unpruned', { archive, reason });
        const alerts: Alerts | undefined = shared.get('alerts');
        void alerts?.unpruned(`${archive}: ${reason}`);
      };
      try {
        const pruneOne = services.pruneArchive ?? (await import('./prune_daily.ts')).pruneDaily;
        const ending = await pruneOne({ archive, before, now });
        if (ending.kind === 'held') reportHeld(ending.reason);
        if (ending.kind === 'removed' && ending.submissions > 0)
          log('info', 'archive_pruned', { archive, submissions: ending.submissions });
      } catch (error) {
        if (!(error instanceof ClientError)) log('error', 'internal_error', { stack: stackOf(error) });
        reportHeld(error instanceof ClientError ? error.message : 'internal error');
      }
    }
  };
  const begin = () => {
    pruning ??= prune().finally(() => {
      pruning = undefined;
    });
    current?.wait(pruning);
  };
  return {
    name: 'archive',
    features: [retention, archived],
    start: (life) => {
      if (!life.livesOn) return;
      current = life;
      const stop = life.services.repeat(hourMs, begin);
      life.signal.addEventListener('abort', () => {
        stop();
        if (current === life) current = undefined;
      });
      begin();
    },
  };
}

// Lets other features read what the form's archives hold of a submission now.

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** For features that declare `reads: ['archived']`. */
    readonly archived: {
      /**
       * `gone`: no readable archive has the submission. `undefined`: unknown, because no archive with all its
       * values can be read.
       */
      read(form: Form, id: string, receivedAt: number): Promise<Values | 'gone' | undefined>;
    };
  }
}

const mostBytes = 1_048_576;
const timeoutMs = 5_000;

const archived = feature({
  name: 'archived',
  configure: ({ outputTypes }) =>
    outputTypes.some((type) => type === 'folder' || type === 's3') ? { provides: { read } } : undefined,
});

async function read(form: Form, id: string, receivedAt: number): Promise<Values | 'gone' | undefined> {
  let ending: 'gone' | undefined;
  for (const [index, output] of form.outputs.entries()) {
    const { isArchive, mapping, target: place } = output;
    const isSealed = 'seal_to' in output || 'seal_to_file' in output;
    if (!isArchive || place === undefined || isSealed || mapping instanceof Map) continue;
    const deliveryId = `${id}-${index}`;
    const folder = folderOf({ form: form.id, receivedAt });
    const path = `${folder}/${documentName(stemOf({ receivedAt, deliveryId }))}`;
    const bytes = await withTimeout(
      timeoutMs,
      openArchive(place).read(path, mostBytes),
      () => undefined,
    ).catch(() => undefined);
    const document = bytes?.ok ? readDocument(bytes.value) : undefined;
    if (document?.ok && document.value.id === id)
      return new Map(document.value.fields.map(({ name, values }) => [name, values]));
    const mustHaveIt = !output.accepts && !isBucket(place);
    if (mustHaveIt && existsSync(place) && !existsSync(join(place, path))) ending = 'gone';
  }
  return ending;
}
