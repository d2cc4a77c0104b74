import { thingsCalled } from '../schema/aliases.ts';
import type { Path } from '../schema/finding.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { variables } from '../schema/settings/variables.ts';
import { nearest } from '../schema/suggestion.ts';
import { elsewhere, elsewhereCalled, ofOtherTypes } from './misplaced_keys.ts';
import { removedAt } from './removed.ts';
import type { StrayKey } from './stray_keys.ts';

/** The most certain first: a removed key, a word for a key of this place, a key of another place, a typing mistake, any other word. */
export function unknownKey({ key, known, map, around }: StrayKey, config: unknown): Finding {
  const path = [...around, key];
  const removed = removedAt(path);
  const found =
    (removed && finding('key_removed', path, removed)) ||
    (key.includes('\u00a0') && finding('no_break_space', path)) ||
    (key === '<<' && finding('merge_key', path)) ||
    (around.length === 0 && isForm(key, map[key]) && outsideForms(path, map)) ||
    meantHere(
      thingsCalled(key).find((thing) => known.includes(thing) && !Object.hasOwn(map, thing)),
      path,
    ) ||
    elsewhere(key, around, config) ||
    (around.length <= 2 && ofEnvironment(key, path)) ||
    meantHere(nearest(key, known), path) ||
    ofOtherTypes(key, around) ||
    elsewhereCalled(key, around, config) ||
    finding('key_unknown', path, { known, near: undefined });
  return { ...found, aboutKey: true };
}

const meantHere = (near: string | undefined, path: Path): Finding | undefined =>
  near === undefined
    ? undefined
    : { ...finding('key_unknown', path, { known: [], near }), meantAs: [...path.slice(0, -1), near] };

/** Settings of the process: `rate_limit`, `allowed_origins`, `cors`. */
function ofEnvironment(key: string, path: Path): Finding | undefined {
  const name = key.toLowerCase() === 'cors' ? 'ALLOWED_ORIGINS' : key.toUpperCase();
  const variable = variables.find((one) => one.name === name || one.name === `THROTTLE_${name}`);
  return variable && finding('key_of_environment', path, { variable: variable.name });
}

/** `alerts` also has outputs. */
const isForm = (key: string, value: unknown) =>
  isMap(value) && ('fields' in value || ('outputs' in value && !thingsCalled(key).includes('alerts')));

const outsideForms = (path: Path, file: StrayKey['map']): Finding => ({
  ...finding('form_outside_forms', path, { hasForms: Object.hasOwn(file, 'forms') }),
  meantAs: ['forms'],
});
