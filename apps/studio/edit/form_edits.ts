/** A builder's changes to a form, as actions on the config's text. Field indexes refer to `fields`. */

import {
  type Action,
  isList,
  isMap,
  isScalar,
  type Json,
  listOf,
  mapOf,
  type Path,
  valueAt,
} from './model.ts';
import type { ConfigText } from './read.ts';

/** Actions, and places that the owner must check. */
interface FormEdit {
  readonly actions: readonly Action[];
  /** Settings and templates that still name the field. */
  readonly left: readonly Path[];
}

type Read = Pick<ConfigText, 'value'>;

const listAt = (value: Json | undefined, ...path: Path) => listOf(valueAt(value, path));

const nameOf = (field: Json | undefined): string | undefined => {
  const { name } = mapOf(field);
  return isScalar(name) ? String(name) : undefined;
};

/** The names of a form's fields in order, without notes. */
const namesOf = (form: Json | undefined): readonly string[] =>
  listAt(form, 'fields').flatMap((field) => nameOf(field) ?? []);

/** Whether a field or check already has the name: references would then be ambiguous. */
export function isTaken({ value }: Read, form: string, index: number, name: string): boolean {
  const others = listAt(value, 'forms', form, 'fields').filter((_, nth) => nth !== index);
  const checks: readonly Path[] = [
    ['spam', 'honeypot'],
    ['forms', form, 'spam', 'honeypot'],
    ['forms', form, 'captcha', 'token_field'],
  ];
  return (
    others.some((field) => nameOf(field) === name) || checks.some((path) => valueAt(value, path) === name)
  );
}

/** The name, or the first free one of `name_2`, `name_3` and so on. */
export function freeName(name: string, taken: readonly string[] | ((name: string) => boolean)): string {
  const has = typeof taken === 'function' ? taken : (one: string) => taken.includes(one);
  const stem = name.replace(/_\d+$/, '');
  for (let nth = 1; ; nth += 1) {
    const free = nth === 1 ? name : `${stem}_${nth}`;
    if (!has(free)) return free;
  }
}

/** A place, other than a template, in which a form names a field. */
interface Mentioned {
  readonly path: Path;
  /** `key`: the name is a key of a map. */
  readonly kind: 'condition' | 'entry' | 'key' | 'run' | 'setting';
  /** A part of an address, a grid or a file, such as `.city`. */
  readonly part?: string;
}

function mentionedIn(form: Json | undefined, name: string): readonly Mentioned[] {
  const isName = (value: Json | undefined) => isScalar(value) && String(value) === name;
  const names = namesOf(form);
  const isPart = (value: Json | undefined) =>
    typeof value === 'string' && value.startsWith(`${name}.`) && !names.includes(value);
  const found: Mentioned[] = [];
  const each = (key: string, see: (one: Json, path: Path) => void) => {
    for (const [nth, one] of listAt(form, key).entries()) see(one, [key, nth]);
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
    for (const [key, value] of Object.entries(mapOf(valueAt(output, ['mapping'])))) {
      const part = String(value).slice(name.length);
      if (isName(value) || isPart(value))
        found.push({ path: [...path, 'mapping', key], kind: 'entry', part });
    }
    for (const [nth, value] of listAt(output, 'attachments').entries())
      if (isName(value)) found.push({ path: [...path, 'attachments', nth], kind: 'entry' });
    for (const at of namedInBody(valueAt(output, ['body']), name))
      found.push({ path: [...path, 'body', ...at], kind: 'setting' });
  });
  for (const path of ['double_opt_in.to', 'confirmation_mail.to', 'once.by'].map((one) => one.split('.')))
    if (isName(valueAt(form, path))) found.push({ path, kind: 'setting' });
  if (valueAt(form, ['option_places', name]) !== undefined)
    found.push({ path: ['option_places', name], kind: 'key' });
  for (const key of ['groups', 'steps'])
    each(key, (run, path) => {
      for (const [nth, value] of listAt(run, 'fields').entries())
        if (isName(value)) found.push({ path: [...path, 'fields', nth], kind: 'run' });
    });
  return found;
}

/** Paths of the tests in a condition, which may combine other conditions. */
export function testsIn(condition: Json | undefined): readonly Path[] {
  if (isList(condition))
    return condition.flatMap((one, nth) => testsIn(one).map((path): Path => [nth, ...path]));
  if (!isMap(condition)) return [];
  const within = ['all', 'any', 'not'].flatMap((key) =>
    testsIn(condition[key]).map((path): Path => [key, ...path]),
  );
  return condition.field === undefined ? within : [[]];
}

/** Names of the fields that decide a condition. */
export const decidersIn = (condition: Json | undefined): readonly string[] =>
  testsIn(condition).map((path) => String(valueAt(condition, [...path, 'field'])));

/** Finds `{$field: name}` in a webhook's body. */
function namedInBody(body: Json | undefined, name: string): readonly Path[] {
  if (!isMap(body) && !isList(body)) return [];
  if (isMap(body) && String(body.$field ?? '') === name) return [['$field']];
  const entries: [string | number, Json][] = isList(body) ? [...body.entries()] : Object.entries(body);
  return entries.flatMap(([key, held]) => namedInBody(held, name).map((path) => [key, ...path]));
}

/** Keys of a form that contain templates. */
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

/** Whether references cannot identify the field: it has no name, or another field has the same name. */
const isNameless = (form: Json | undefined, name: string): boolean =>
  namesOf(form).filter((one) => one === name).length !== 1;

/**
 * Removes a field and all references to it, including a step or group that would be empty. Places for the
 * owner to check are in `left`.
 */
export function removeField(config: Read, form: string, index: number): FormEdit {
  const inForm = (path: Path): Path => ['forms', form, ...path];
  const written = valueAt(config.value, inForm([]));
  const field = ['fields', index];
  const name = nameOf(valueAt(written, field)) ?? '';
  if (isNameless(written, name)) return { actions: [{ do: 'remove', path: inForm(field) }], left: [] };
  const found = mentionedIn(written, name).filter(({ path }) => !isBelow(path, field));
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
  // Removes from the end, so that earlier indexes stay valid.
  const actions = [...gone, field]
    .toSorted(fromTheEnd)
    .map((path): Action => ({ do: 'remove', path: inForm(path) }));
  return { actions, left };
}

/** A group or step that loses its only field is removed, too; if none remains, so is the whole list. */
function emptied(form: Json | undefined, paths: readonly Path[]): readonly Path[] {
  return paths.map((path) => {
    const [key, nth, list] = path;
    /** The list item, or the list if it has no other item. */
    const item = (list: string | number = '') =>
      listAt(form, list).length > 1 ? [list, Number(nth)] : [list];
    if (key === 'thanks' || key === 'redirect_with') return item(key);
    const combined = path.findIndex((step) => ['all', 'any', 'not'].includes(String(step)));
    if (combined > 0) {
      const parts = valueAt(form, path.slice(0, combined + 1));
      const isLast = !isList(parts) || parts.length === 1 || path.length > combined + 2;
      return isLast ? path.slice(0, combined) : path;
    }
    if (key === 'option_places') return Object.keys(mapOf(valueAt(form, [key]))).length > 1 ? path : [key];
    const isRun = (key === 'groups' || key === 'steps') && list === 'fields';
    return !isRun || listAt(form, ...path.slice(0, 3)).length > 1 ? path : item(key);
  });
}

function fromTheEnd(one: Path, other: Path): number {
  const at = one.findIndex((key, nth) => key !== other[nth]);
  const [key, than] = [one[at], other[at]];
  if (typeof key === 'number' && typeof than === 'number') return than - key;
  return String(key) < String(than) ? -1 : 1;
}

/** Renames a field and all references to it, unless the name is taken. Templates that cannot use the new name are in `left`. */
export function renameField(config: Read, form: string, index: number, name: string): FormEdit {
  const base: Path = ['forms', form];
  const written = valueAt(config.value, base);
  const old = nameOf(valueAt(written, ['fields', index])) ?? '';
  const set = (path: Path, value: Json): Action => ({ do: 'set', path: [...base, ...path], value });
  const own = set(['fields', index, 'name'], name);
  if (old === name || isTaken(config, form, index, name)) return { actions: [], left: [] };
  if (isNameless(written, old)) return { actions: [own], left: [] };
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

/** A name that `.fields.` in a template can express (packages/schema/src/template/cursor.ts); other names use `values`. */
export const isDotted = (name: string) => /^[\p{L}_][\p{L}\p{Nd}_]*(?:-+[\p{L}\p{Nd}_]+)*$/u.test(name);

/** An action with its braces; quoted text in it may contain braces. */
const action = /\{\{(?:"(?:\\.|[^"\\])*"|`[^`]*`|(?!\}\})[^"`])*\}\}/gs;

/** A path, a call of `values`, or quoted text, which is skipped. */
const named =
  /(\.(?:fields|labels)\.)([\p{L}_][\p{L}\p{Nd}_]*(?:-+[\p{L}\p{Nd}_]+)*)|(\bvalues\s+)("(?:\\.|[^"\\])*"|`[^`]*`)|"(?:\\.|[^"\\])*"|`[^`]*`/gu;

/** Returns the replacement for a name, unquoted in a path; `undefined` keeps the name. */
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

/** Whether it is the field or one of its parts: `values "home.city"`. */
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

/** Renames a field in a template; `undefined` if the template cannot express the new name. */
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
