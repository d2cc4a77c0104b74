import { once } from '../base/lazy.ts';
import type { Plugin } from '../plugin.ts';
import { isMap } from '../schema/kinds.ts';

/** A plug-in that comes with the relay. It is loaded for configs that use one of its keys or types. */
export interface BundledPlugin {
  readonly name: string;
  /**
   * Its keys and types by their place: `top alerts`, `form keep`, `spam score`, `field pattern` and `output when` are keys;
   * `fieldType file` and `outputType slack` are types. `output headers smtp email`: a key of outputs of these types.
   */
  readonly owns: readonly string[];
  /** Keys and types of others for which it is loaded as well. */
  readonly uses?: readonly string[];
  /** Whether it takes events of a platform (`onEvent`). */
  readonly takesEvents?: true;
  /** Called once for each relay: a plug-in with state makes a new one. */
  readonly load: () => Promise<Plugin>;
}

type Place = 'top' | 'topSpam' | 'form' | 'spam' | 'field' | 'output' | 'fieldType' | 'outputType';

/** The bundled plug-ins whose keys or types a config uses, in the order of the list. */
export function usedIn(config: unknown, bundled: readonly BundledPlugin[]): readonly BundledPlugin[] {
  const owners = ownersOf(bundled);
  const used = new Set<BundledPlugin>();
  const use = (place: Place, name: unknown) => {
    for (const one of (typeof name === 'string' && owners[place].get(name)) || none) used.add(one);
  };
  const useKeys = (place: Place, map: unknown) => {
    if (isMap(map)) for (const key in map) use(place, key);
  };
  const useList = (place: Place, typePlace: Place, list: unknown) => {
    if (!Array.isArray(list)) return;
    for (const one of list) {
      if (!isMap(one)) continue;
      use(typePlace, one.type);
      for (const key in one) {
        use(place, key);
        // A field without a type is text.
        if (owners.typed.has(key)) use(place, `${key} ${one.type ?? 'text'}`);
      }
      // Some field types consist of fields.
      if (place === 'field') useList(place, typePlace, one.fields);
    }
  };
  if (!isMap(config)) return [];
  useKeys('top', config);
  useKeys('topSpam', config.spam);
  // Alerts have outputs, too.
  for (const block of Object.values(config)) if (isMap(block)) useList('output', 'outputType', block.outputs);
  for (const form of isMap(config.forms) ? Object.values(config.forms) : []) {
    if (!isMap(form)) continue;
    useKeys('form', form);
    useKeys('spam', form.spam);
    useList('field', 'fieldType', form.fields);
    useList('output', 'outputType', form.outputs);
  }
  return used.size === 0 ? [] : bundled.filter((one) => used.has(one));
}

interface Owners extends Readonly<Record<Place, Map<string, readonly BundledPlugin[]>>> {
  /** Keys that some types alone have. */
  readonly typed: Set<string>;
}
const none: readonly BundledPlugin[] = [];
let known: { readonly bundled: readonly BundledPlugin[]; readonly owners: Owners } | undefined;

function ownersOf(bundled: readonly BundledPlugin[]): Owners {
  if (known?.bundled === bundled) return known.owners;
  const owners: Owners = {
    top: new Map(),
    topSpam: new Map(),
    form: new Map(),
    spam: new Map(),
    field: new Map(),
    output: new Map(),
    fieldType: new Map(),
    outputType: new Map(),
    typed: new Set(),
  };
  for (const one of bundled)
    for (const used of [...one.owns, ...(one.uses ?? [])]) {
      const [place, name = '', ...types] = used.split(' ');
      const all = owners[place as Place];
      if (types.length > 0) owners.typed.add(name);
      for (const key of types.length > 0 ? types.map((type) => `${name} ${type}`) : [name])
        all.set(key, [...(all.get(key) ?? none), one]);
    }
  known = { bundled, owners };
  return owners;
}

/** Each plug-in is loaded once, and keeps its state over changes of the config. */
export const loadedOnce = (bundled: readonly BundledPlugin[]): readonly BundledPlugin[] =>
  bundled.map((one) => ({ ...one, load: once(one.load) }));
