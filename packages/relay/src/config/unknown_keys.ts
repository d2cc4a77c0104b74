import type * as v from 'valibot';
import { thingsCalled } from '../base/aliases.ts';
import { type Finding, finding } from '../base/config_finding.ts';
import type { Path } from '../base/place.ts';
import { nearest } from '../base/suggestion.ts';
import type { AnySchema } from '../schema/any_schema.ts';
import { isMap } from '../schema/kinds.ts';
import { variables } from '../schema/settings/variables.ts';
import { elsewhere, elsewhereCalled, ofOtherTypes } from './homes.ts';

/**
 * Every key that its schema does not know (D9). This walk is separate from valibot's, so that all mistyped keys are
 * found at once, even where something else is wrong.
 */
export function unknownKeys(schema: v.GenericSchema, input: unknown): readonly Finding[] {
  const findings: Finding[] = [];
  walk(schema as AnySchema, input, [], (key, known, map, around) => {
    findings.push(unknownKey(key, known, map, around, input));
  });
  return findings;
}

type Tell = (key: string, known: readonly string[], map: WrittenMap, around: Path) => void;
type WrittenMap = Readonly<Record<string, unknown>>;

/** The whole walk shares one `path` list: a large config has many keys, and few of them are unknown. */
function walk(schema: AnySchema, input: unknown, path: (string | number)[], tell: Tell): void {
  const visit = (inner: AnySchema, value: unknown, step: string | number) => {
    path.push(step);
    walk(inner, value, path, tell);
    path.pop();
  };
  // Only lists and maps hold keys.
  if (typeof input !== 'object' || input === null) return;
  const { type, entries, item, wrapped, pipe, getter } = schema;
  const inner = getter?.(input) ?? wrapped;
  if (inner) {
    walk(inner, input, path, tell);
  } else if (type === 'object' && entries && isMap(input)) {
    for (const key of Object.keys(input)) {
      const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
      if (entry) visit(entry, input[key], key);
      else tell(key, Object.keys(entries), input, path);
    }
  } else if (item && Array.isArray(input)) {
    for (const [index, value] of input.entries()) visit(item, value, index);
  } else {
    const values = pipe?.find((part) => part.metadata?.values)?.metadata?.values;
    if (values && isMap(input)) {
      for (const key of Object.keys(input)) visit(values, input[key], key);
    } else if (pipe?.[0]) {
      walk(pipe[0], input, path, tell);
    }
  }
}

/** The most certain first: a word for a key of this place, a key of another place, a typing mistake, any other word. */
function unknownKey(
  key: string,
  known: readonly string[],
  map: WrittenMap,
  around: Path,
  config: unknown,
): Finding {
  const path = [...around, key];
  const found =
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

/** What is so for the whole process: `rate_limit`, `allowed_origins`, `cors`. */
function ofEnvironment(key: string, path: Path): Finding | undefined {
  const name = key.toLowerCase() === 'cors' ? 'ALLOWED_ORIGINS' : key.toUpperCase();
  const variable = variables.find((one) => one.name === name || one.name === `THROTTLE_${name}`);
  return variable && finding('key_of_environment', path, { variable: variable.name });
}

/** `alerts` has outputs, too. */
const isForm = (key: string, value: unknown) =>
  isMap(value) && ('fields' in value || ('outputs' in value && !thingsCalled(key).includes('alerts')));

const outsideForms = (path: Path, file: WrittenMap): Finding => ({
  ...finding('form_outside_forms', path, { hasForms: Object.hasOwn(file, 'forms') }),
  meantAs: ['forms'],
});
