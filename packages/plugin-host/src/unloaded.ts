/** Configs whose plug-ins are not loaded: what these may add is left out of the config, and is a warning. */
import type { Diagnostic, Path } from '@form-relay/schema/diagnostics';
import { isMap } from '@form-relay/schema/kinds';
import type { Problem } from '@form-relay/yaml/problem';

/** At the head of RELAY_PLUGINS: no plug-in is loaded, neither those after it nor those that a config lists. */
const none = 'none';

export const loadsNone = ([first]: readonly string[]): boolean => first === none;

/** Whether this leaves out a plug-in. Otherwise, nothing could add what is unknown. */
export const leavesOut = (named: readonly string[], listed: unknown): boolean =>
  loadsNone(named) && (named.length > 1 || listed !== undefined);

/** The code of warnings about what the plug-ins of a config may add. */
export const unloadedCode = 'plugin_not_loaded';

/** The same as a warning. */
export const unloaded = (problem: Problem): Problem => ({
  ...problem,
  severity: 'warning',
  code: unloadedCode,
  message: `${/^(?:"[^"]*"|[^:;])*/.exec(problem.message)?.[0]}; a plug-in that was not loaded may add it`,
});

const isOfFieldType = ({ path, options }: Diagnostic) =>
  options !== undefined && path.at(-1) === 'type' && path.at(-3) === 'fields';

/** A place of stored deliveries. */
export const isStore = ({ code }: Diagnostic): boolean => code === 'store_unknown';

/** Whether a plug-in could add what is unknown here: a key, a field type, or a store. Unknown output types are warnings anyway. */
export const mayBeAdded = (mistake: Diagnostic): boolean =>
  mistake.code === 'key_unknown' || isStore(mistake) || isOfFieldType(mistake);

/** The config without these keys and types: a field of an unknown type is text. Stores are not opened, and stay. */
export function without(config: unknown, added: readonly Diagnostic[]): unknown {
  const copy = structuredClone(config);
  for (const one of added) if (!isStore(one)) remove(copy, one.path);
  return copy;
}

function remove(config: unknown, path: Path): void {
  const map = path
    .slice(0, -1)
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], config);
  if (isMap(map)) delete (map as Record<string, unknown>)[path.at(-1) as string];
}
