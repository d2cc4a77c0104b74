/** The shape of a choice, and the actions that choices are made of. */
import type { Action, Json, Path } from '../../../edit/index.ts';
import { isMap, valueAt } from '../../schema_nodes.ts';
import type { Field } from '../settings/places.ts';

export interface Ground {
  readonly id: string;
  /** The whole config. */
  readonly config: Json | undefined;
  readonly fields: readonly Field[];
}

export interface Guard {
  readonly name: string;
  readonly title: string;
  /** To visitors and to the owner. */
  readonly cost: string;
  /** Where the manual explains it. */
  readonly page: string;
  /** The key that says it is on, from the form; also at the top of the config if it can stand there for all forms. */
  readonly key: Path;
  readonly isForAll?: boolean;
  /** Variables of the environment. */
  readonly needs?: (ground: Ground) => readonly string[];
  readonly isOn: (ground: Ground) => boolean;
  /** A reason why it cannot be turned on. */
  readonly lacks?: (ground: Ground) => string | undefined;
  /** The smallest config that makes sense. */
  readonly on: (ground: Ground) => readonly Action[];
  readonly off: (ground: Ground) => readonly Action[];
  /** Maps and the keys of them that are shown, once it is on. */
  readonly settings: (
    ground: Ground,
  ) => readonly { readonly path: Path; readonly only?: readonly string[] }[];
}

type Asked = Omit<Guard, 'isOn' | 'off' | 'settings'> & Partial<Pick<Guard, 'isOn' | 'off' | 'settings'>>;

/** Default: a key of the form that says it is on by being there, and whose map has all its settings. */
export const guard = (asked: Asked): Guard => ({
  isOn: (ground) => inForm(ground, ...asked.key) !== undefined,
  off: (ground) => remove(ground, ...asked.key),
  settings: (ground) => [{ path: [...formPath(ground), ...asked.key] }],
  ...asked,
});

export const formPath = ({ id }: Ground): Path => ['forms', id];
export const inForm = (ground: Ground, ...path: Path): Json | undefined =>
  valueAt([...formPath(ground), ...path], ground.config) ?? undefined;

export const set = (ground: Ground, path: Path, value: Json): Action => ({
  do: 'set',
  path: [...formPath(ground), ...path],
  value,
});

/** Removes keys of a map of the form, and the map if nothing else is in it. */
export function without(ground: Ground, map: string, keys: readonly string[]): readonly Action[] {
  const value = inForm(ground, map);
  if (!isMap(value)) return [];
  const present = keys.filter((key) => key in value);
  if (present.length === 0) return [];
  const path = [...formPath(ground), map];
  if (present.length === Object.keys(value).length) return [{ do: 'remove', path }];
  return present.map((key) => ({ do: 'remove', path: [...path, key] }));
}

export const remove = (ground: Ground, ...path: Path): readonly Action[] => [
  { do: 'remove', path: [...formPath(ground), ...path] },
];
