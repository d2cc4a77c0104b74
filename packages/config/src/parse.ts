import type { MaybePromise } from '@form-relay/base/maybe_promise';
import { err, ok, type Result } from '@form-relay/base/result';
import type { Config, PlacedForm, Registry } from '@form-relay/core/config';
import type { Closer, Form } from '@form-relay/core/form';
import type { OutputContext } from '@form-relay/core/outputs/output';
import type { Plugin, TopContext } from '@form-relay/core/plugin';
import { variables } from '@form-relay/core/settings';
import {
  type BundledPlugin,
  hasUnknown,
  namesIn,
  readBy,
  usedIn,
} from '@form-relay/plugin-host/bundled_plugin';
import { takenBy } from '@form-relay/plugin-host/claims';
import type { PluginNames } from '@form-relay/plugin-host/load_plugins';
import { orMistake } from '@form-relay/plugin-host/or_mistake';
import {
  isStore,
  leavesOut,
  loadsNone,
  mayBeAdded,
  unloaded,
  without,
} from '@form-relay/plugin-host/plugin_list';
import { type Diagnostic, Diagnostics, type Path, Report } from '@form-relay/schema/diagnostics';
import { isMap } from '@form-relay/schema/kinds';
import type { Known } from '@form-relay/yaml/advice/explain';
import { type ReadText, readConfigText, siblingsOf } from '@form-relay/yaml/config_text';
import type { Problem } from '@form-relay/yaml/problem';
import { closeAll, compileForm } from './compile.ts';
import { type ByFeature, registryOf } from './registry.ts';

export type ParseResult = Result<Config, readonly Problem[]>;

const registries = new Map<string, Registry>();

/** Returns the same registry for the same plug-ins, because most configs name none and are parsed often. */
export function registryFor(plugins: readonly Plugin[]): Registry {
  const key = plugins.map(({ name }) => name).join('\0');
  const known = registries.get(key);
  if (known?.plugins.every((one, index) => one === plugins[index])) return known;
  const registry = registryOf(plugins);
  registries.set(key, registry);
  return registry;
}

export interface PluginSources {
  readonly bundled: readonly BundledPlugin[];
  readonly plugins: PluginNames;
  /** Reports what the platform does not support. */
  readonly checkPlatform?: ((config: unknown, at: Diagnostics) => MaybePromise<void>) | undefined;
  /** Expands the text's document before it is checked, and maps paths of the result to those of the text. */
  readonly rewrite?: { document(read: unknown): unknown; path(path: Path): Path };
}

/** Parses and checks a config, and reports all problems at once. Never throws. */
export async function parseConfig(
  text: string,
  file: string,
  plugins: readonly Plugin[],
  context: Omit<OutputContext, 'form'>,
  { bundled, plugins: names, checkPlatform, rewrite }: PluginSources,
  readText: ReadText,
): Promise<ParseResult> {
  const read = await readConfigText(text);
  if (!read.ok)
    return err((await import('@form-relay/yaml/advice/explain')).explainMisread(text, file, read.error));
  const { document: readPlaces } = read.value;
  const config = rewrite ? rewrite.document(read.value.value) : read.value.value;
  const inText = (path: Path) => (rewrite ? rewrite.path(path) : path);
  const placed = (all: readonly Diagnostic[]) => all.map((one) => ({ ...one, path: inText(one.path) }));
  const explained = async (errors: readonly Diagnostic[], registry = registryFor(plugins)) => {
    const document = errors.length > 0 ? await readPlaces() : undefined;
    return document
      ? (await import('@form-relay/yaml/advice/explain')).explain(
          text,
          file,
          document,
          placed(errors),
          knownTo(registry),
        )
      : [];
  };
  const listed = isMap(config) ? config.plugins : undefined;
  const named =
    listed === undefined && (names.named.length === 0 || loadsNone(names.named))
      ? ok({ plugins: [], env: [] })
      : await (await import('@form-relay/plugin-host/load_plugins')).loadPlugins(
          listed,
          names,
          takenBy(plugins, bundled),
          context.services.env,
        );
  if (!named.ok) return err(await explained(named.error));
  const pluginsWith = async (used: readonly BundledPlugin[]): Promise<readonly Plugin[]> => {
    const own = await Promise.all(used.map(({ load }) => load()));
    const all = [...plugins, ...own, ...named.value.plugins];
    const read = readBy(all, bundled);
    return read.every((one) => used.includes(one))
      ? all
      : pluginsWith(bundled.filter((one) => used.includes(one) || read.includes(one)));
  };
  const checkWith = async (all: readonly Plugin[], read = config) => {
    const checked = await check(read, all, context, { file, readText });
    if (!checked.report.needsPlain) return checked;
    void closeAll(closersIn(checked.value));
    const places = (await readPlaces())?.places;
    const isPlain = (path: Path) => places?.isPlain(inText(path)) ?? false;
    return check(read, all, context, { file, readText, isPlain });
  };
  const written = namesIn(config);
  const first = await pluginsWith(usedIn(written, bundled));
  // The field type `file` handles bodies and mails with files, even for other fields with files.
  const used = first.some(takesFiles)
    ? await pluginsWith(usedIn(new Set([...written, 'fieldType file']), bundled))
    : first;
  // Only all bundled plug-ins together can explain a misspelled key or type.
  let checked = await checkWith(knowAll(written, used) ? used : await pluginsWith(bundled));
  const mayLack = names.mayLack && leavesOut(names.named, listed);
  const added: Diagnostic[] = [];
  for (let read = config; mayLack; ) {
    const more = checked.report.errors.filter(mayBeAdded);
    const isLast = more.every(isStore);
    added.push(...more.filter((one) => isLast || !isStore(one)));
    if (isLast) break;
    read = without(read, more);
    void closeAll(closersIn(checked.value));
    checked = await checkWith(await pluginsWith(bundled), read);
  }
  const { report, inSiblings } = checked;
  const value = checked.value && {
    ...checked.value,
    env: [...named.value.env, ...checked.value.env],
    namedPlugins: named.value.plugins.map(({ name }) => name),
  };
  await checkPlatform?.(config, new Diagnostics([], report));
  const mistakes = report.errors.filter((one) => !added.includes(one));
  if (mistakes.length + inSiblings.length > 0 || !value) {
    void closeAll(closersIn(value));
    return err([
      ...(await explained(mistakes, value && registryFor(await pluginsWith(bundled)))),
      ...inSiblings,
    ]);
  }
  const warnings = report.warnings.filter(({ code }) => !checkPlatform || code !== 'store_of_platform');
  const ofConfig = warningsOf(text, file, placed(warnings), value, () => pluginsWith(bundled), inText);
  if (!mayLack) return ok({ ...value, warnings: ofConfig });
  const aboutAdded = await explained(added, value.registry);
  return ok({
    ...value,
    warnings: async () => [
      ...aboutAdded.map(unloaded),
      ...(await ofConfig()).map((one) => (one.code === 'output_type_unknown' ? unloaded(one) : one)),
    ],
  });
}

const takesFiles = ({ fields = [] }: Plugin): boolean =>
  fields.some(({ takeFiles, further }) => takeFiles || further);

/** Whether these plug-ins know all keys and types of a config. If plug-ins clash, checking the config reports it. */
function knowAll(written: ReturnType<typeof namesIn>, plugins: readonly Plugin[]): boolean {
  try {
    return !hasUnknown(written, registryFor(plugins));
  } catch {
    return true;
  }
}

/** All closers of a config. */
export const closersIn = (config: Pick<Config, 'forms' | 'further'> | undefined): readonly Closer[] =>
  config
    ? [...config.forms.values(), ...config.further.map(({ form }) => form)].flatMap(({ closers }) => closers)
    : [];

/** The words that an unknown word in a config is compared with. */
export const knownTo = ({ config, form, plugins }: Registry): Known => {
  const others = plugins.flatMap((plugin) => Object.values(plugin.variables ?? {}));
  return { config, form, variables: [...variables, ...others.map(({ name }) => name)] };
};

/** Parses the text again, so that a config in use does not keep the places of everything in memory. */
const warningsOf =
  (
    text: string,
    file: string,
    found: Report['warnings'],
    { forms, further, registry }: Pick<Config, 'forms' | 'further' | 'registry'>,
    loadAll: () => Promise<readonly Plugin[]>,
    inText: (path: Path) => Path,
  ): Config['warnings'] =>
  async () => {
    const read = await readConfigText(text);
    const document = read.ok ? await read.value.document() : undefined;
    if (!document) return [];
    const { findWarnings } = await import('./warnings.ts');
    const placed = [...forms].map(([id, form]): PlacedForm => ({ form, path: inText(['forms', id]) }));
    const all = [...placed, ...further];
    const lacksType = all.some(({ form }) => form.outputs.some(({ transport }) => !transport));
    const others = lacksType ? (await loadAll()).flatMap(({ outputs = [] }) => outputs) : [];
    const more = findWarnings(text, document, all, registry, others);
    const { locateIn } = await import('@form-relay/yaml/advice/explain');
    return locateIn(text, file, 'warning', document, [...found, ...more]);
  };

interface Checked {
  readonly report: Report;
  /** The mistakes in files that the config names. */
  readonly inSiblings: readonly Problem[];
  readonly value?: Omit<Config, 'warnings'>;
}

export function check(
  document: unknown,
  plugins: readonly Plugin[],
  context: Omit<OutputContext, 'form'>,
  { file, readText, isPlain }: { file: string; readText: ReadText; isPlain?: (path: Path) => boolean },
): MaybePromise<Checked> {
  const at = new Diagnostics([], new Report(document));
  const { report } = at;
  report.plain = isPlain;
  let registry: Registry;
  try {
    registry = registryFor(plugins);
  } catch (error) {
    at.in('plugins').error((error as Error).message);
    return { report, inSiblings: [] };
  }
  report.readField = registry.field;
  const keys = registry.config(document, at) ?? {};
  const inSiblings: Problem[] = [];
  const further: PlacedForm[] = [];
  const top: TopContext = {
    outputTypes: registry.outputTypes,
    plugins,
    compile: (id, one, at) => {
      const read = registry.form(one, at);
      const form = read && compileForm(id, read, keys, new Map(), registry, context, at);
      if (form) further.push({ form, path: at.path });
      return form;
    },
    topSpam: isMap(keys.spam) ? keys.spam : {},
    forms: keys.forms ?? new Map(),
    messagesIn: registry.messagesIn,
    services: context.services,
    readSibling: siblingsOf(file, readText, inSiblings),
  };
  const shared: ByFeature = new Map();
  const pending = registry.features.flatMap(({ name, configureTop }) => {
    const made = configureTop && orMistake(`the feature "${name}"`, at, () => configureTop(keys, at, top));
    if (made instanceof Promise) return made.then((value) => shared.set(name, value));
    shared.set(name, made);
    return [];
  });
  const compileForms = (): Checked => {
    const forms = new Map<string, Form>();
    for (const [id, one] of top.forms) {
      const form = compileForm(id, one, keys, shared, registry, context, at.in('forms', id));
      if (form) forms.set(id, form);
    }
    for (const { name, validate } of plugins)
      if (validate) orMistake(`the plug-in "${name}"`, at, () => validate(forms, at));
    const cacheTtlMs = keys.cache_ttl ?? 0;
    const { env } = report;
    return {
      report,
      inSiblings,
      value: { cacheTtlMs, forms, shared, further, env, registry, namedPlugins: [] },
    };
  };
  return pending.length > 0 ? Promise.all(pending).then(compileForms) : compileForms();
}
