import { ClientError, stackOf } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import type { Config } from '../config/parse.ts';
import { hiddenIn } from '../counting/hidden.ts';
import { placesKey } from '../features/places/claims.ts';
import { places } from '../features/places/places.ts';

const minuteMs = 60_000;

/** How many are remembered as told. */
const mostTold = 10_000;

export interface HiddenPlaces {
  /** Goes on with the forms of this config. */
  start(config: Config): void;
  close(): Promise<void>;
}

/** Reports places whose submission had an outcome that a crash hid, each once. */
export function createHiddenPlaces(
  effects: Pick<Effects, 'now' | 'log' | 'repeat' | 'openCounter'>,
): HiddenPlaces {
  let forms: Config['forms'] | undefined;
  let stop: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  const told = new Set<string>();

  const look = async () => {
    for (const form of forms?.values() ?? []) {
      const asked = places.of(form);
      if (!asked) continue;
      try {
        const tally = await (await effects.openCounter(asked.where)).read(placesKey(form.id));
        for (const [id, { at, keys }] of hiddenIn(tally, effects.now())) {
          if (told.has(id)) continue;
          if (told.size >= mostTold) told.clear();
          told.add(id);
          const since = new Date(at * 1_000).toISOString();
          effects.log('warn', 'places_hidden', { form: form.id, request_id: id, since, of: keys });
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
      stop ??= effects.repeat(minuteMs, begin);
      begin();
    },
    async close() {
      stop?.();
      await looking;
    },
  };
}
