/** Events of a platform that are not requests, such as a batch from a queue. */
import type { BundledPlugin } from './config/bundled.ts';
import type { Plugin } from './plugin.ts';

/** Bundled plug-ins that take events also when the config does not name them: messages may wait from before. */
export const takersOf = (bundled: readonly BundledPlugin[]): Promise<readonly Plugin[]> =>
  Promise.all(bundled.flatMap((one) => (one.takesEvents ? one.load() : [])));

/** Passes an event to the first plug-in that takes it. */
export async function passEvent(
  event: unknown,
  plugins: Iterable<Plugin>,
  context: Parameters<NonNullable<Plugin['onEvent']>>[1],
): Promise<{ readonly result: unknown } | undefined> {
  for (const { onEvent } of plugins) {
    const taken = onEvent?.(event, context);
    if (taken) return { result: await taken };
  }
  return undefined;
}
