import type { Diagnostic, Path } from '../../schema/diagnostics.ts';
import { isMap, type Properties, present } from '../../schema/schema.ts';
import { didYouMean, nearest } from '../../schema/suggestion.ts';
import {
  belongs,
  belongsToTypes,
  elsewhere,
  elsewhereCalled,
  type Found,
  type Homes,
  sectionAt,
} from './homes.ts';
import { isCalled, namesCalled } from './vocabulary.ts';

/** What the whole config says, for advice on a part of it. */
export interface Whole {
  readonly config: unknown;
  readonly homes: Homes;
  /** The environment variables that the relay reads. */
  readonly variables: readonly string[];
}

type Advice = Pick<Diagnostic, 'message' | 'suggestion' | 'meantAs' | 'code'>;

/** Says what an unknown key means. The most certain comes first: a word for a key of this place, a key of another place, a typing mistake, any other word. */
export function adviseOnKey(found: Diagnostic, whole: Whole): Diagnostic {
  const { unknownKey, path } = found;
  if (!unknownKey) return found;
  const { known, map } = unknownKey;
  const around = path.slice(0, -1);
  const key = String(path.at(-1));
  const names = Object.keys(present(known));
  const advice: Advice | undefined =
    unreadable(key) ??
    formOutsideForms(key, around, map) ??
    meantHere(around, calledSo(key, known, map)) ??
    inOtherSection(key, around, whole) ??
    ofEnvironment(key, around, whole.variables) ??
    meantHere(around, nearest(key, names)) ??
    ofOtherTypes(key, around, whole.homes) ??
    calledInOtherSection(key, around, whole);
  return advice ? { ...found, ...advice } : found;
}

function unreadable(key: string): Advice | undefined {
  if (key.includes('\u00a0'))
    return {
      code: 'no_break_space',
      message: 'this holds a no-break space, which is no space to YAML; write plain spaces instead',
    };
  if (key !== '<<') return undefined;
  return {
    code: 'merge_key',
    message: 'merge keys are not part of YAML 1.2; use an alias for a whole block, or write the keys out',
  };
}

/** A form beside `forms`. `alerts` has outputs, too. */
function formOutsideForms(key: string, around: Path, map: object): Advice | undefined {
  const value = Object.hasOwn(map, key) ? (map as Record<string, unknown>)[key] : undefined;
  if (around.length > 0 || !isMap(value)) return undefined;
  if (!('fields' in value) && (!('outputs' in value) || namesCalled(key).includes('alerts')))
    return undefined;
  const how = Object.hasOwn(map, 'forms')
    ? 'indent it, so that it stands below forms'
    : 'write `forms:` on a line above it, and indent it';
  return {
    code: 'form_outside_forms',
    message: `unknown key here; this looks like a form: ${how}`,
    meantAs: ['forms'],
  };
}

const calledSo = (key: string, known: Properties, map: object): string | undefined =>
  [...namesCalled(key), ...Object.keys(present(known))].find(
    (name) =>
      Object.hasOwn(known, name) &&
      isCalled({ name, aliases: known[name]?.aliases }, key) &&
      !Object.hasOwn(map, name),
  );

const meantHere = (around: Path, near: string | undefined): Advice | undefined =>
  near === undefined
    ? undefined
    : { message: `unknown key${didYouMean(near)}`, suggestion: near, meantAs: [...around, near] };

function inOtherSection(key: string, around: Path, whole: Whole): Advice | undefined {
  const here = sectionAt(around);
  const found = here && elsewhere(whole.homes, here, key);
  return found && misplaced(found, undefined, around, whole.config);
}

function calledInOtherSection(key: string, around: Path, whole: Whole): Advice | undefined {
  const here = sectionAt(around);
  const found = here && elsewhereCalled(whole.homes, here, key, around);
  return found && misplaced(found, found.key, around, whole.config);
}

function misplaced(found: Found, near: string | undefined, around: Path, config: unknown): Advice {
  const isAtTop = around.length === 0;
  const form = isAtTop && found.section === 'form' ? formWithout(found.key, config) : undefined;
  const meantAs = form === undefined ? ['forms'] : ['forms', form, found.key];
  return {
    code: 'key_elsewhere',
    message: `unknown key${didYouMean(near) || ' here'}; ${found.key} belongs ${belongs(found, isAtTop, form)}`,
    ...(isAtTop && found.section === 'form' && { meantAs }),
  };
}

/** The only form without this key, if there is just one. */
function formWithout(key: string, config: unknown): string | undefined {
  const forms = isMap(config) && isMap(config.forms) ? Object.entries(config.forms) : [];
  const without = forms.filter(([, form]) => isMap(form) && !Object.hasOwn(form, key));
  return forms.length <= 200 && without.length === 1 ? without[0]?.[0] : undefined;
}

function ofOtherTypes(key: string, around: Path, homes: Homes): Advice | undefined {
  const here = sectionAt(around);
  const types = (here && homes[here].find((one) => one.key === key)?.types) ?? [];
  if (!here || types.length === 0) return undefined;
  return {
    code: 'key_elsewhere',
    message: `unknown key here; ${key} belongs ${belongsToTypes(here, types)}`,
  };
}

/** Settings of the process: `rate_limit`, `allowed_origins`, `cors`. */
function ofEnvironment(key: string, around: Path, variables: readonly string[]): Advice | undefined {
  if (around.length > 2) return undefined;
  const name = key.toLowerCase() === 'cors' ? 'ALLOWED_ORIGINS' : key.toUpperCase();
  const variable = variables.find((one) => one === name || one === `THROTTLE_${name}`);
  return variable === undefined
    ? undefined
    : {
        code: 'key_of_environment',
        message: `this is no key of the config but a variable of the environment: ${variable}`,
      };
}
