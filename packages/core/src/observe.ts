import { stackOf } from './base/client_error.ts';
import { submissionLog } from './log.ts';
import type { Observer, Plugin } from './plugin.ts';
import type { Services } from './services.ts';

/** Tells the log, the embedding program and the plug-ins of each answered submission. */
export function observers(
  services: Pick<Services, 'log' | 'now'>,
  own: Observer | undefined,
  plugins: () => readonly Plugin[],
): Observer {
  const log = submissionLog(services.log, services.now);
  return (event) => {
    log(event);
    tell(own, event, services);
    for (const plugin of plugins()) tell(plugin.observe, event, services);
  };
}

/** An observer that throws must not fail a submission, and one that rejects later must not end the process. */
function tell(
  observe: Observer | undefined,
  event: Parameters<Observer>[0],
  { log }: Pick<Services, 'log'>,
): void {
  const fail = (error: unknown) => log('error', 'observer_failed', { stack: stackOf(error) });
  try {
    const told: unknown = observe?.(event);
    if (told instanceof Promise) told.catch(fail);
  } catch (error) {
    fail(error);
  }
}
