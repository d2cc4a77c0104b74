import type { Log } from '../../base/effects.ts';
import type { LogEvent } from '../../base/log_event.ts';

/** More than a config has to say. */
const mostRemembered = 200;

/**
 * What every worker finds when it reads the config, said once: each time that one of them says it more often than any
 * other one has.
 */
export function createToldOnce(log: Log): (worker: number, ...event: Parameters<Log>) => void {
  /** By what was said: how often it is in the log, and how often each worker has said it. */
  const said = new Map<string, { times: number; readonly by: Map<number, number> }>();
  return (worker, ...event) => {
    const key = JSON.stringify(event);
    const one = said.get(key) ?? { times: 0, by: new Map() };
    said.delete(key);
    said.set(key, one);
    for (const oldest of said.keys()) {
      if (said.size <= mostRemembered) break;
      said.delete(oldest);
    }
    const times = (one.by.get(worker) ?? 0) + 1;
    one.by.set(worker, times);
    if (times <= one.times) return;
    one.times = times;
    log(...event);
  };
}

/** What is said so: of the config, and of what it lacks. */
export const isToldOnce = (event: LogEvent): boolean =>
  /^(config|folders|weak|variables)_/.test(event) ||
  event === 'origins_unreadable' ||
  event === 'keep_sealed';
