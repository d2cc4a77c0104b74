import { ClientError, stackOf } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import type { Config } from '../config/parse.ts';
import { countedFor } from '../features/links/single_use.ts';
import { hiddenOf, readCounts } from '../features/places/read_counts.ts';

/** A form with `once` or `links` has 256 texts of each, and some stores charge for reading. */
const everyMs = 600_000;

/** How many are remembered as told. */
const mostTold = 10_000;

export interface HiddenPlaces {
  /** Goes on with the forms of this config. */
  start(config: Config): void;
  close(): Promise<void>;
}

/** Reports submissions whose outcome a crash hid: their places, registrations and links. Each once. */
export function createHiddenPlaces(
  effects: Pick<Effects, 'now' | 'log' | 'repeat' | 'openCounter'>,
): HiddenPlaces {
  let forms: Config['forms'] | undefined;
  let stop: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  const told = new Set<string>();

  const look = async () => {
    for (const form of forms?.values() ?? []) {
      const where = countedFor(form);
      if (!where) continue;
      try {
        const counter = await effects.openCounter(where);
        const counts = await readCounts(form, (key) => counter.read(key));
        for (const { id, since, of } of hiddenOf(counts, effects.now())) {
          if (told.has(id)) continue;
          if (told.size >= mostTold) told.clear();
          told.add(id);
          effects.log('warn', 'places_hidden', { form: form.id, request_id: id, since, of });
        }
      } catch (error) {
        // Submissions to the form say why.
        if (!(error instanceof ClientError))
          effects.log('error', 'internal_error', { form: form.id, stack: stackOf(error) });
      }
    }
  };
  const begin = () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  };
  return {
    start(config) {
      forms = config.forms;
      stop ??= effects.repeat(everyMs, begin);
      begin();
    },
    async close() {
      stop?.();
      await looking;
    },
  };
}
