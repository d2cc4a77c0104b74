/** Explains an unknown key: a synonym for a key of this section, a key of another section, or a typo. */
import { type Diagnostic, either, type Path, shown } from '@form-relay/schema/diagnostics';
import { isMap, type Properties, type Schema } from '@form-relay/schema/schema';
import {
  didYouMean,
  isCalled as isUnitCalled,
  type Named,
  nearest,
  squeezed,
} from '@form-relay/schema/suggestion';
import aliases from './aliases.json' with { type: 'json' };

export interface Whole {
  readonly config: unknown;
  readonly homes: Homes;
  /** The environment variables that the relay reads. */
  readonly variables: readonly string[];
}

type Section = 'file' | 'form' | 'spam' | 'captcha' | 'field' | 'output';

/** A key of a section, with the types that have it; empty if all types have it. */
interface Home {
  readonly section: Section;
  readonly key: string;
  readonly types: readonly string[];
  readonly aliases?: readonly string[] | undefined;
}

type Homes = Readonly<Record<Section, readonly Home[]>>;

export function homesOf(config: Schema<unknown>, form: Schema<unknown>): Homes {
  const { spam, captcha, fields, outputs } = form.properties ?? {};
  return {
    file: homesIn('file', config),
    form: homesIn('form', form),
    spam: homesIn('spam', spam?.schema),
    captcha: homesIn('captcha', captcha?.schema),
    field: homesIn('field', fields?.schema),
    output: homesIn('output', outputs?.schema),
  };
}

function homesIn(section: Section, read: Schema<unknown> | undefined): readonly Home[] {
  const kinds = read?.kinds ?? new Map([['', read?.properties ?? {}]]);
  const all = new Map<string, Home & { readonly types: string[] }>();
  for (const [type, keys] of kinds)
    for (const [key, { aliases }] of Object.entries(keys)) {
      const home = all.get(key) ?? { section, key, types: [], aliases };
      home.types.push(type);
      all.set(key, home);
    }
  return [...all.values()].map((home) => (home.types.length === kinds.size ? { ...home, types: [] } : home));
}

/**
 * For each section, the others that its unknown keys may belong to. Keys of a field are never written into an
 * output by mistake.
 */
const others: Readonly<Record<Section, readonly Section[]>> = {
  file: ['form', 'spam', 'captcha', 'output', 'field'],
  form: ['spam', 'captcha', 'output', 'field', 'file'],
  spam: ['form', 'captcha', 'file'],
  captcha: ['form', 'spam', 'file'],
  field: ['form', 'spam', 'file'],
  output: ['form', 'file'],
};

/** The section at a path. Other maps have their own keys. */
function sectionAt(path: Path): Section | undefined {
  const [top, , part] = path;
  if (path.length === 0) return 'file';
  if (top !== 'forms') return undefined;
  if (path.length === 2) return 'form';
  if (path.length === 3) return part === 'spam' || part === 'captcha' ? part : undefined;
  if (path.length !== 4) return undefined;
  return part === 'fields' ? 'field' : part === 'outputs' ? 'output' : undefined;
}

type Advice = Pick<Diagnostic, 'message' | 'suggestion' | 'meantAs' | 'code'>;

/** Tries the most certain advice first. */
export function adviseOnKey(found: Diagnostic, { config, homes, variables }: Whole): Diagnostic {
  const { unknownKey, path } = found;
  if (!unknownKey) return found;
  const { known, map } = unknownKey;
  const around = path.slice(0, -1);
  const key = String(path.at(-1));
  const here = sectionAt(around);
  const elsewhere = (is: (home: Home) => boolean): Home | undefined =>
    here && others[here].flatMap((section) => homes[section].find(is) ?? [])[0];
  const isFree = (one: Home) => !around.includes(one.key);
  const calledElsewhere =
    namesCalled(key).flatMap((name) => elsewhere((one) => one.key === name && isFree(one)) ?? [])[0] ??
    elsewhere((one) => isCalled({ name: one.key, aliases: one.aliases }, key) && isFree(one));
  const advice: Advice | undefined =
    unreadable(key) ??
    formOutsideForms(key, around, map) ??
    meantHere(around, calledSo(key, known, map)) ??
    misplaced(
      elsewhere((one) => one.key === key),
      around,
      config,
    ) ??
    ofEnvironment(key, around, variables) ??
    meantHere(around, nearest(key, Object.keys(known))) ??
    ofOtherTypes(here && homes[here].find((one) => one.key === key)) ??
    misplaced(calledElsewhere, around, config, true);
  return advice ? { ...found, ...advice } : found;
}

function unreadable(key: string): Advice | undefined {
  if (key.includes('\u00a0'))
    return {
      code: 'no_break_space',
      message: 'this contains a no-break space, which YAML does not treat as a space; use plain spaces',
    };
  if (key !== '<<') return undefined;
  return {
    code: 'merge_key',
    message: 'merge keys are not part of YAML 1.2; use an alias for a whole block, or write the keys out',
  };
}

/** A form at the top level instead of in `forms`. `alerts` also has outputs. */
function formOutsideForms(key: string, around: Path, map: object): Advice | undefined {
  const value = Object.hasOwn(map, key) ? (map as Record<string, unknown>)[key] : undefined;
  if (around.length > 0 || !isMap(value)) return undefined;
  if (!('fields' in value) && (!('outputs' in value) || namesCalled(key).includes('alerts')))
    return undefined;
  const how = Object.hasOwn(map, 'forms')
    ? 'indent it below forms'
    : 'write `forms:` on a line above it, and indent it';
  return {
    code: 'form_outside_forms',
    message: `unknown key here; this looks like a form: ${how}`,
    meantAs: ['forms'],
  };
}

const calledSo = (key: string, known: Properties, map: object): string | undefined =>
  [...namesCalled(key), ...Object.keys(known)].find(
    (name) =>
      Object.hasOwn(known, name) &&
      isCalled({ name, aliases: known[name]?.aliases }, key) &&
      !Object.hasOwn(map, name),
  );

const meantHere = (around: Path, near: string | undefined): Advice | undefined =>
  near === undefined
    ? undefined
    : { message: `unknown key${didYouMean(near)}`, suggestion: near, meantAs: [...around, near] };

/** `isOtherWord`: the key has another name there. */
function misplaced(
  home: Home | undefined,
  around: Path,
  config: unknown,
  isOtherWord = false,
): Advice | undefined {
  if (!home) return undefined;
  const { key, section } = home;
  const isFormKeyAtTop = around.length === 0 && section === 'form';
  const form = isFormKeyAtTop ? formWithout(key, config) : undefined;
  const meantAs = form === undefined ? ['forms'] : ['forms', form, key];
  return {
    code: 'key_elsewhere',
    message: `unknown key${isOtherWord ? didYouMean(key) : ' here'}; ${key} belongs ${belongs(home, around.length === 0, form)}`,
    ...(isFormKeyAtTop && { meantAs }),
  };
}

/** The only form without this key, if there is exactly one. */
function formWithout(key: string, config: unknown): string | undefined {
  const forms = isMap(config) && isMap(config.forms) ? Object.entries(config.forms) : [];
  const without = forms.filter(([, form]) => isMap(form) && !Object.hasOwn(form, key));
  return forms.length <= 200 && without.length === 1 ? without[0]?.[0] : undefined;
}

/** Where a key belongs, in words. `form`: the form that a top-level key certainly belongs to. */
function belongs({ section, key, types }: Home, isAtTop: boolean, form?: string): string {
  switch (section) {
    case 'file':
      return 'at the top of the file, beside forms';
    case 'form':
      if (!isAtTop) return `to the form itself; indent it as ${key === 'fields' ? 'outputs' : 'fields'}`;
      return form === undefined ? `to a form, as in forms: {contact: {${key}: …}}` : belowForm(form);
    case 'field':
      return `to a field${ofType(types)}, as in fields: [{name: …, ${key}: …}]`;
    case 'output':
      return `to an output${ofType(types)}, as in outputs: [{type: ${types[0] ?? '…'}, ${key}: …}]`;
    default:
      return `below the form's ${section}, as in ${section}: {${key}: …}`;
  }
}

export const belowForm = (form: string): string => `to a form: indent it, so that it stands below ${form}`;

const ofType = (types: readonly string[]): string =>
  types.length === 0 ? '' : ` of type ${either(types.length > 4 ? [...types.slice(0, 3), 'others'] : types)}`;

/** A key of other types of field, output or captcha. */
function ofOtherTypes(home: Home | undefined): Advice | undefined {
  if (!home || home.types.length === 0) return undefined;
  const { section, key, types } = home;
  const owner =
    section === 'captcha'
      ? `a captcha whose provider is ${either(types)}`
      : `${section === 'field' ? 'a field' : 'an output'}${ofType(types)}`;
  return { code: 'key_elsewhere', message: `unknown key here; ${key} belongs to ${owner}` };
}

/** Settings of the process, such as `rate_limit`, `allowed_origins`, `cors`. */
function ofEnvironment(key: string, around: Path, variables: readonly string[]): Advice | undefined {
  if (around.length > 2) return undefined;
  const name = key.toLowerCase() === 'cors' ? 'ALLOWED_ORIGINS' : key.toUpperCase();
  const variable = variables.find((one) => one === name || one === `THROTTLE_${name}`);
  return variable === undefined
    ? undefined
    : {
        code: 'key_of_environment',
        message: `this is an environment variable, not a config key: ${variable}`,
      };
}

// The names of the config's keys and types in other form services, HTML and template languages.

const keys = indexOf(aliases.keys);
/** Some words stand only for a type, although a key has the same name. */
const types = indexOf(aliases.types);

/** Our names by foreign words. A word may stand for several; the one that is valid in its place is meant. */
function indexOf(list: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [name, words] of Object.entries(list))
    for (const word of words.split(' ').map(squeezed)) found.set(word, [...(found.get(word) ?? []), name]);
  return found;
}

/** All of our names that a foreign word may stand for. Ignores case and separators: `emailTo`, `email-to`. */
const namesCalled = (word: string): readonly string[] => keys.get(squeezed(word)) ?? [];

/** Whether this is a foreign word for a key or type. */
const isCalled = (one: Named, word: string): boolean =>
  isUnitCalled(one, word) || namesCalled(word).includes(one.name);

/** The option that other tools call by this word, or else the closest one. */
export function meantBy(word: string, options: readonly Named[]): string | undefined {
  const byUnit = options.find((one) => isUnitCalled(one, word))?.name;
  const called = [...namesCalled(word), ...(types.get(squeezed(word)) ?? [])];
  const names = options.map(({ name }) => name);
  return byUnit ?? called.find((name) => names.includes(name)) ?? nearest(word, names);
}

/** Says which of several words another word stands for. */
export function adviseOnWord(found: Diagnostic): Diagnostic {
  const { options, word, message, path } = found;
  const suggestion = options && word !== undefined ? meantBy(word, options) : undefined;
  if (!options || suggestion === undefined) return found;
  // A list of many options would hide the one that is meant.
  const text =
    options.length > 4 && message.includes('; expected ') ? `found ${shown(word, { path })}` : message;
  return { ...found, message: text + didYouMean(suggestion), suggestion };
}
