/** A builder's changes to a form, as actions on the config's text. Fields are counted as they stand in `fields`. */

import { type Action, isList, isMap, type Json, type Path, valueAt } from './model.ts';
import type { ConfigText } from './read.ts';

/** Actions that may leave something for the owner to look at. */
interface FormEdit {
  readonly actions: readonly Action[];
  /** Settings and templates that still name the field. */
  readonly left: readonly Path[];
}

type Read = Pick<ConfigText, 'value'>;

const formPath = (form: string): Path => ['forms', form];
const fieldsPath = (form: string): Path => ['forms', form, 'fields'];

const listAt = (config: Read, path: Path): readonly Json[] => {
  const list = valueAt(config.value, path);
  return isList(list) ? list : [];
};

const nameOf = (field: Json | undefined): string | undefined => {
  const name = isMap(field) ? field.name : undefined;
  return name === undefined || name === null || typeof name === 'object' ? undefined : String(name);
};

/** The names of a form's fields in their order, without notes. */
const namesOf = (config: Read, form: string): readonly string[] =>
  listAt(config, fieldsPath(form)).flatMap((field) => nameOf(field) ?? []);

/** Whether a field or a check has the name already: written, what names the one would name the other. */
export function isTaken(config: Read, form: string, index: number, name: string): boolean {
  const spam = (path: Path) => valueAt(config.value, [...path, 'spam', 'honeypot']);
  const others = listAt(config, fieldsPath(form)).filter((_, nth) => nth !== index);
  return (
    others.some((field) => nameOf(field) === name) ||
    [spam(formPath(form)), spam([]), valueAt(config.value, [...formPath(form), 'captcha', 'token_field'])]
      .filter((one) => typeof one === 'string')
      .includes(name)
  );
}

/** The name itself, or the first of `name_2`, `name_3` … that is free. */
export function freeName(name: string, taken: readonly string[] | ((name: string) => boolean)): string {
  const has = typeof taken === 'function' ? taken : (one: string) => taken.includes(one);
  const stem = name.replace(/_\d+$/, '');
  for (let nth = 1; ; nth += 1) {
    const free = nth === 1 ? name : `${stem}_${nth}`;
    if (!has(free)) return free;
  }
}

/** A place where a form names a field, other than templates. */
interface Mentioned {
  readonly path: Path;
  /** `key`: the name is the key of an entry. */
  readonly kind: 'condition' | 'entry' | 'key' | 'run' | 'setting';
  /** The named part of an address, a grid or a file, such as `.city`. */
  readonly part?: string;
}

function mentionedIn(form: Json | undefined, name: string): readonly Mentioned[] {
  const isName = (value: Json | undefined) =>
    value !== undefined && value !== null && typeof value !== 'object' && String(value) === name;
  const names = namesOf({ value: { forms: { it: form ?? null } } }, 'it');
  const isPart = (value: Json | undefined) =>
    typeof value === 'string' && value.startsWith(`${name}.`) && !names.includes(value);
  const found: Mentioned[] = [];
  const each = (key: string, see: (one: Json, path: Path) => void) => {
    for (const [nth, one] of listAt({ value: form }, [key]).entries()) see(one, [key, nth]);
  };
  const condition = (key: string) => (one: Json, path: Path) => {
    for (const at of testsIn(valueAt(one, [key])))
      if (isName(valueAt(one, [key, ...at, 'field'])))
        found.push({ path: [...path, key, ...at], kind: 'condition' });
  };
  for (const key of ['visible_when', 'required_when']) each('fields', condition(key));
  each('steps', condition('visible_when'));
  each('thanks', condition('when'));
  each('redirect_with', (one, path) => {
    if (isName(one)) found.push({ path, kind: 'entry' });
  });
  each('fields', (one, path) => {
    for (const key of ['same_as', 'differs_from', 'min', 'max'])
      if (isName(valueAt(one, [key]))) found.push({ path: [...path, key], kind: 'entry' });
  });
  each('outputs', condition('when'));
  each('outputs', (output, path) => {
    const mapping = valueAt(output, ['mapping']);
    for (const [key, value] of isMap(mapping) ? Object.entries(mapping) : [])
      if (isName(value) || isPart(value))
        found.push({
          path: [...path, 'mapping', key],
          kind: 'entry',
          part: String(value).slice(name.length),
        });
    for (const [nth, value] of listAt({ value: output }, ['attachments']).entries())
      if (isName(value)) found.push({ path: [...path, 'attachments', nth], kind: 'entry' });
    for (const at of namedInBody(valueAt(output, ['body']), name))
      found.push({ path: [...path, 'body', ...at], kind: 'setting' });
  });
  for (const mail of ['double_opt_in', 'confirmation_mail'])
    if (isName(valueAt(form, [mail, 'to']))) found.push({ path: [mail, 'to'], kind: 'setting' });
  if (isName(valueAt(form, ['once', 'by']))) found.push({ path: ['once', 'by'], kind: 'setting' });
  if (valueAt(form, ['option_places', name]) !== undefined)
    found.push({ path: ['option_places', name], kind: 'key' });
  for (const key of ['groups', 'steps'])
    each(key, (run, path) => {
      for (const [nth, value] of listAt({ value: run }, ['fields']).entries())
        if (isName(value)) found.push({ path: [...path, 'fields', nth], kind: 'run' });
    });
  return found;
}

/** The paths of the tests in a condition, which may combine others. */
export function testsIn(condition: Json | undefined): readonly Path[] {
  if (isList(condition))
    return condition.flatMap((one, nth) => testsIn(one).map((path): Path => [nth, ...path]));
  if (!isMap(condition)) return [];
  const within = ['all', 'any', 'not'].flatMap((key) =>
    testsIn(condition[key]).map((path): Path => [key, ...path]),
  );
  return condition.field === undefined ? within : [[]];
}

/** The names of the fields that decide a condition. */
export const decidersIn = (condition: Json | undefined): readonly string[] =>
  testsIn(condition).map((path) => String(valueAt(condition, [...path, 'field'])));

/** `{$field: name}` in the body of a webhook. */
function namedInBody(body: Json | undefined, name: string): readonly Path[] {
  if (!isMap(body) && !isList(body)) return [];
  if (isMap(body) && String(body.$field ?? '') === name) return [['$field']];
  const entries: [string | number, Json][] = isList(body) ? [...body.entries()] : Object.entries(body);
  return entries.flatMap(([key, held]) => namedInBody(held, name).map((path) => [key, ...path]));
}

/** Keys of a form that hold templates. */
const templated = [
  'outputs',
  'double_opt_in',
  'confirmation_mail',
  'verification_mail',
  'captcha',
  'thanks',
  'kept_message',
];

function templatesOf(form: Json | undefined): readonly { readonly path: Path; readonly text: string }[] {
  const texts = (value: Json | undefined, path: Path): { path: Path; text: string }[] => {
    if (typeof value === 'string') return value.includes('{{') ? [{ path, text: value }] : [];
    if (isList(value)) return value.flatMap((one, nth) => texts(one, [...path, nth]));
    return isMap(value) ? Object.entries(value).flatMap(([key, one]) => texts(one, [...path, key])) : [];
  };
  return templated.flatMap((key) => texts(valueAt(form, [key]), [key]));
}

const isBelow = (path: Path, above: Path) => above.every((key, nth) => path[nth] === key);

/** Removes a field and what names it, also its own step or group. Decisions for the owner are in `left`. */
export function removeField(config: Read, form: string, index: number): FormEdit {
  const base = formPath(form);
  const written = valueAt(config.value, base);
  const name = nameOf(valueAt(written, ['fields', index]));
  const field = ['fields', index];
  const remove: Action = { do: 'remove', path: [...base, ...field] };
  if (name === undefined) return { actions: [remove], left: [] };
  // If two fields share the name, the other is still there.
  if (namesOf(config, form).filter((one) => one === name).length > 1) return { actions: [remove], left: [] };
  const found = mentionedIn(written, name).filter(({ path }) => !isBelow(path, field));
  const inForm = (path: Path) => [...base, ...path];
  const gone = emptied(
    written,
    found.filter(({ kind }) => kind !== 'setting').map(({ path }) => path),
  );
  const left = [
    ...found.filter(({ kind }) => kind === 'setting').map(({ path }) => inForm(path)),
    ...templatesOf(written)
      .filter(({ text, path }) => mentions(text, name) && !gone.some((one) => isBelow(path, one)))
      .map(({ path }) => inForm(path)),
  ];
  // From the end, so that each finds the places before it as they were.
  const actions = [...gone, field]
    .toSorted(fromTheEnd)
    .map((path): Action => ({ do: 'remove', path: inForm(path) }));
  return { actions, left };
}

/** Without its only field, a group or step goes, too; without any, so does the list of them. */
function emptied(form: Json | undefined, paths: readonly Path[]): readonly Path[] {
  return paths.map((path) => {
    const [key, nth, list] = path;
    const isWhole = key === 'thanks' || key === 'redirect_with';
    if (isWhole) return listAt({ value: form }, [key]).length > 1 ? [key, Number(nth)] : [key];
    const combined = path.findIndex((step) => ['all', 'any', 'not'].includes(String(step)));
    if (combined > 0) {
      const parts = valueAt(form, path.slice(0, combined + 1));
      const isLast = !isList(parts) || parts.length === 1 || path.length > combined + 2;
      return isLast ? path.slice(0, combined) : path;
    }
    if (key === 'option_places') {
      const held = valueAt(form, ['option_places']);
      return isMap(held) && Object.keys(held).length > 1 ? path : ['option_places'];
    }
    const isRun = (key === 'groups' || key === 'steps') && list === 'fields';
    if (!isRun || listAt({ value: form }, path.slice(0, 3)).length > 1) return path;
    return listAt({ value: form }, [String(key)]).length > 1 ? [String(key), Number(nth)] : [String(key)];
  });
}

function fromTheEnd(one: Path, other: Path): number {
  const at = one.findIndex((key, nth) => key !== other[nth]);
  const [key, than] = [one[at], other[at]];
  if (typeof key === 'number' && typeof than === 'number') return than - key;
  return String(key) < String(than) ? -1 : 1;
}

/** Renames a field wherever the form names it, unless the name is taken. Templates that cannot name it so are `left`. */
export function renameField(config: Read, form: string, index: number, name: string): FormEdit {
  const base = formPath(form);
  const written = valueAt(config.value, base);
  const old = nameOf(valueAt(written, ['fields', index]));
  const set = (path: Path, value: Json): Action => ({ do: 'set', path: [...base, ...path], value });
  const own = set(['fields', index, 'name'], name);
  if (old === name || isTaken(config, form, index, name)) return { actions: [], left: [] };
  if (old === undefined) return { actions: [own], left: [] };
  if (namesOf(config, form).filter((one) => one === old).length > 1) return { actions: [own], left: [] };
  const places = mentionedIn(written, old).map(({ path, kind, part = '' }): Action => {
    if (kind === 'key') return { do: 'rename', path: [...base, ...path], key: name };
    return set(kind === 'condition' ? [...path, 'field'] : path, name + part);
  });
  const rewritten = templatesOf(written)
    .filter(({ text }) => mentions(text, old))
    .map(({ path, text }) => ({ path, text: renamed(text, old, name) }));
  return {
    actions: [
      own,
      ...places,
      ...rewritten.flatMap(({ path, text }) => (text === undefined ? [] : [set(path, text)])),
    ],
    left: rewritten.filter(({ text }) => text === undefined).map(({ path }) => [...base, ...path]),
  };
}

/** Names of fields in templates (`.fields.name`, `.labels.name`, `values "name"`). */

/** A name that `.fields.` of a template can hold (packages/schema/src/template/cursor.ts); others go through `values`. */
export const isDotted = (name: string) => /^[\p{L}_][\p{L}\p{Nd}_]*(?:-+[\p{L}\p{Nd}_]+)*$/u.test(name);

/** An action with its braces; quoted text in it may hold braces of its own. */
const action = /\{\{(?:"(?:\\.|[^"\\])*"|`[^`]*`|(?!\}\})[^"`])*\}\}/gs;

/** A path, a call of `values`, or quoted text, which is passed over. */
const named =
  /(\.(?:fields|labels)\.)([\p{L}_][\p{L}\p{Nd}_]*(?:-+[\p{L}\p{Nd}_]+)*)|(\bvalues\s+)("(?:\\.|[^"\\])*"|`[^`]*`)|"(?:\\.|[^"\\])*"|`[^`]*`/gu;

/** The replacement for a name, which is not in quotes in a path; `undefined`: the name itself. */
type Change = (name: string, isPath: boolean) => string | undefined;

const inTemplate = (template: string, change: Change) =>
  template.replace(action, (whole) =>
    whole.startsWith('{{/*')
      ? whole
      : whole.replace(
          named,
          (found: string, path?: string, name?: string, call?: string, quoted?: string) => {
            if (path !== undefined && name !== undefined) return path + (change(name, true) ?? name);
            if (call === undefined || quoted === undefined) return found;
            const [quote = '"', text] = [quoted[0], quoted.slice(1, -1)];
            return call + quote + (change(text, false) ?? text) + quote;
          },
        ),
  );

/** A field, or a part of it: `values "home.city"`. */
const isOf = (name: string, field: string) => name === field || name.startsWith(`${field}.`);

/** Whether a template names a field. */
function mentions(template: string, field: string): boolean {
  let isFound = false;
  inTemplate(template, (name) => {
    isFound ||= isOf(name, field);
    return undefined;
  });
  return isFound;
}

/** Gives a field another name; `undefined` where the template cannot name it so. */
function renamed(template: string, from: string, to: string): string | undefined {
  let isPossible = true;
  const made = inTemplate(template, (name, isPath) => {
    if (!isOf(name, from)) return undefined;
    const next = to + name.slice(from.length);
    isPossible &&= isPath ? isDotted(next) : !/["\\`\n]/.test(next);
    return next;
  });
  return isPossible ? made : undefined;
}
