import { once } from '@form-relay/base/maybe_promise';
import type { Registry } from '@form-relay/core/config';
import type { Plugin } from '@form-relay/core/plugin';
import { isLanguageTag, isMap, type Properties, type Schema } from '@form-relay/schema/kinds';

/** A plug-in that comes with the relay. Only configs that use one of its keys or types load it. */
export interface BundledPlugin {
  readonly name: string;
  /**
   * The plug-in's keys and types by place: `top alerts`, `form keep`, `spam score`, `field pattern` and
   * `output when` are keys; `fieldType file` and `outputType slack` are types; `signal links` is a signal of
   * `spam`; `option worth` is a key of options. `output headers smtp email`: a key of outputs of these two
   * types. `condition matches`: a test in conditions. `field limit`: a `min` or `max` that names a field.
   * `feature`, `route` and `store`: names that no other plug-in may have.
   */
  readonly owns: readonly string[];
  /** Keys and types of other plug-ins that load this one, too. */
  readonly uses?: readonly string[];
  /** The variables that hold its secrets. */
  readonly secrets?: readonly string[];
  /** Whether it handles events of a platform (`onEvent`). */
  readonly takesEvents?: boolean;
  /** Called once for each relay; a plug-in with state creates new state. */
  readonly load: () => Promise<Plugin>;
}

/** The bundled plug-ins whose keys or types a config uses, in the order of the list. */
export function usedIn(names: NamesIn, bundled: readonly BundledPlugin[]): readonly BundledPlugin[] {
  const isUsed = (one: string) => {
    const [place, name, ...types] = one.split(' ');
    return types.length > 0 ? types.some((type) => names.has(`${place} ${name} ${type}`)) : names.has(one);
  };
  return bundled.filter(({ owns, uses = [] }) => owns.some(isUsed) || uses.some(isUsed));
}

/** The bundled plug-ins that provide the features these plug-ins read. */
export function readBy(
  plugins: readonly Plugin[],
  bundled: readonly BundledPlugin[],
): readonly BundledPlugin[] {
  const names = plugins.flatMap(({ features = [] }) => features.flatMap(({ reads = [] }) => reads));
  return names.length === 0
    ? []
    : bundled.filter(({ owns }) => names.some((name) => owns.includes(`feature ${name}`)));
}

/** Whether a config uses a key or a field type that these plug-ins do not define. */
export function hasUnknown(names: NamesIn, registry: Registry): boolean {
  const { config: top, form, field, output } = registry;
  const english = registry.messagesIn('en');
  const spamOf = ({ properties }: Pick<Schema<unknown>, 'properties'>) => properties?.spam?.schema.properties;
  const keysAt: Readonly<Record<string, Properties | undefined>> = {
    top: top.properties,
    topSpam: spamOf(top),
    form: form.properties,
    spam: spamOf(form),
    signal: spamOf(form)?.signals?.schema.properties,
  };
  const kindsAt: Readonly<Record<string, Schema<unknown>['kinds']>> = {
    field: field.kinds,
    output: output.kinds,
  };
  const isKnown = (name: string) => {
    const [, place = '', rest = ''] = /^(\w+) (.*)$/s.exec(name) ?? [];
    if (place === 'fieldType') return field.kinds?.has(rest) ?? true;
    if (place === 'message') return Object.hasOwn(english, rest);
    const [, key = rest, type = ''] = /^(.*) (\S+)$/s.exec(rest) ?? [];
    const keys = kindsAt[place]?.get(type);
    if (keys) return key === 'type' || Object.hasOwn(keys, key);
    return Object.hasOwn(keysAt[place] ?? { [rest]: true }, rest);
  };
  return ![...names].every(isKnown);
}

type NamesIn = ReadonlySet<string>;

/** The keys and types in a config, each with its place; keys of fields and outputs also with the type. */
export function namesIn(config: unknown): NamesIn {
  const names = new Set<string>();
  const addKeys = (place: string, map: unknown) => {
    if (isMap(map)) for (const key in map) names.add(`${place} ${key}`);
  };
  const addList = (place: 'field' | 'output', list: unknown) => {
    for (const one of Array.isArray(list) ? list : []) {
      if (!isMap(one)) continue;
      addKeys(place, one);
      // A field without a type is a text field, but a note has no type.
      const isNote = 'note' in one && !('name' in one);
      const type =
        typeof one.type === 'string' ? one.type : isNote ? undefined : one.type === undefined ? 'text' : '';
      if (type !== undefined) {
        names.add(`${place}Type ${type}`);
        for (const key in one) names.add(`${place} ${key} ${type}`);
      }
      addTests(one.visible_when ?? one.when);
      addTests(one.required_when);
      for (const limit of [one.min, one.max])
        if (typeof limit === 'string' && /^[\p{L}_]/u.test(limit)) names.add(`${place} limit`);
      for (const option of Array.isArray(one.options) ? one.options : []) addKeys('option', option);
      // Some field types contain fields.
      if (place === 'field') addList(place, one.fields);
    }
  };
  const addMessages = (messages: unknown) => {
    for (const [key, inner] of isMap(messages) ? Object.entries(messages) : [])
      if (isMap(inner) && isLanguageTag(key)) addMessages(inner);
      else names.add(`message ${key}`);
  };
  const addTests = (condition: unknown) => {
    if (typeof condition !== 'object' || condition === null) return;
    for (const [key, inner] of Object.entries(condition)) {
      names.add(`condition ${key}`);
      addTests(inner);
    }
  };
  const addSpam = (place: string, spam: unknown) => {
    addKeys(place, spam);
    if (isMap(spam)) addKeys('signal', spam.signals);
  };
  if (!isMap(config)) return names;
  addKeys('top', config);
  addSpam('topSpam', config.spam);
  addMessages(config.messages);
  // Alerts have outputs, too.
  for (const block of Object.values(config)) if (isMap(block)) addList('output', block.outputs);
  for (const form of isMap(config.forms) ? Object.values(config.forms) : []) {
    if (!isMap(form)) continue;
    addKeys('form', form);
    addSpam('spam', form.spam);
    addMessages(form.messages);
    addList('field', form.fields);
    for (const one of [form.steps, form.thanks].flat())
      if (isMap(one)) addTests(one.visible_when ?? one.when);
    addList('output', form.outputs);
  }
  return names;
}

/** Loads each plug-in once, so that it keeps its state when the config changes. */
export const loadedOnce = (bundled: readonly BundledPlugin[]): readonly BundledPlugin[] =>
  bundled.map((one) => ({ ...one, load: once(one.load) }));

/** The environment variables that hold secrets of these plug-ins. */
export const secretsOf = (bundled: readonly BundledPlugin[] = []): readonly string[] =>
  bundled.flatMap(({ secrets = [] }) => secrets);
