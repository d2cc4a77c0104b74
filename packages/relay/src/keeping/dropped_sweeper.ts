import { ClientError, stackOf } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import type { Config } from '../config/parse.ts';
import { archiveOf } from '../features/keep_dropped/archive_of.ts';
import { keepDropped } from '../features/keep_dropped/keep_dropped.ts';

const hourMs = 3_600_000;

/** Removes what was kept of turned-away submissions from folders, once a day, when its time is over. */
export function createDroppedSweeper(effects: Pick<Effects, 'now' | 'log' | 'repeat' | 'sweepDropped'>) {
  let forms: Config['forms'] | undefined;
  let stop: (() => void) | undefined;
  let sweeping: Promise<void> | undefined;

  const sweep = async () => {
    for (const form of forms?.values() ?? []) {
      const forMs = keepDropped.of(form);
      const target = archiveOf(form)?.target;
      if (forMs === undefined || target?.via !== 'folder') continue;
      const now = effects.now();
      try {
        await effects.sweepDropped({ folder: target.folder, form: form.id, before: now - forMs, now });
      } catch (error) {
        const reason = error instanceof ClientError ? error.message : 'internal error';
        effects.log('error', 'dropped_unremoved', { form: form.id, reason });
        if (!(error instanceof ClientError))
          effects.log('error', 'internal_error', { form: form.id, stack: stackOf(error) });
      }
    }
  };
  const begin = () => {
    sweeping ??= sweep().finally(() => {
      sweeping = undefined;
    });
  };
  return {
    start(config: Config) {
      forms = config.forms;
      // Each day's first process removes; asking each hour is enough to come within the day.
      stop ??= effects.repeat(hourMs, begin);
      begin();
    },
    async close() {
      stop?.();
      await sweeping;
    },
  };
}
