import { ClientError, stackOf } from '../base/client_error.ts';
import type { Config } from '../config/parse.ts';
import { archive } from '../features/archive.ts';
import { AlertSender } from './alerts.ts';
import type { World } from './attempt.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Removes old submissions from the archives of the config, once a day, and tells the owner why it did not. */
export function createArchivePruner(world: World) {
  const { effects } = world;
  const alerts = new AlertSender(world);
  let config: Config | undefined;
  let stops: readonly (() => void)[] = [];
  let pruning: Promise<void> | undefined;
  /** The day on which this process last asked, by archive. */
  const asked = new Map<string, number>();

  const tellUnpruned = (place: string, reason: string) => {
    effects.log('error', 'archive_unpruned', { archive: place, reason });
    if (config?.alerts) alerts.unpruned(place, reason, config.alerts);
  };
  const prune = async () => {
    for (const place of config ? prunedArchives(config) : []) {
      const now = effects.now();
      const today = Math.floor(now / dayMs);
      if (!config || asked.get(place) === today) continue;
      asked.set(place, today);
      try {
        const ending = await effects.pruneArchive({ archive: place, before: pruneLimits(config, now), now });
        if (ending.kind === 'held') tellUnpruned(place, ending.reason);
        if (ending.kind === 'removed' && ending.submissions > 0)
          effects.log('info', 'archive_pruned', { archive: place, submissions: ending.submissions });
      } catch (error) {
        if (!(error instanceof ClientError))
          effects.log('error', 'internal_error', { stack: stackOf(error) });
        tellUnpruned(place, error instanceof ClientError ? error.message : 'internal error');
      }
    }
  };
  const begin = () => {
    pruning ??= prune().finally(() => {
      pruning = undefined;
    });
  };
  return {
    start(next: Config) {
      config = next;
      if (stops.length === 0)
        stops = [effects.repeat(hourMs, begin), effects.repeat(minuteMs, () => alerts.retry())];
      begin();
    },
    async close() {
      for (const stop of stops) stop();
      config = undefined;
      await pruning;
      await alerts.close();
    },
  };
}

/** The archives from which something may have to go. */
export function prunedArchives({ forms, archive: everywhere }: Config): ReadonlySet<string> {
  const pruned = [...forms.values()].filter((form) => everywhere ?? archive.of(form));
  const targets = pruned.flatMap(({ outputs }) => outputs.flatMap(({ target }) => target ?? []));
  const archives = targets.filter(({ via }) => via === 'folder' || via === 's3');
  return new Set(archives.map(({ name }) => name.replace(/(.)\/+$/, '$1')));
}

/** Forms that are gone from the config have the time at its top. */
export const pruneLimits =
  ({ forms, archive: everywhere }: Pick<Config, 'forms' | 'archive'>, now: number) =>
  (id: string) => {
    const form = forms.get(id);
    const forMs = form ? archive.of(form) : everywhere?.for;
    return forMs === undefined ? undefined : now - forMs;
  };
