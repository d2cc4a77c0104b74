import type { MaybePromise } from '../base/maybe_promise.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Form } from '../form.ts';
import type { OutputContext } from '../outputs/output.ts';
import type { Plugin, Registered, Shared, TopContext } from '../plugin.ts';
import { type Diagnostic, Diagnostics, type EnvUse, type Path, Report } from '../schema/diagnostics.ts';
import { isMap } from '../schema/kinds.ts';
import { type BundledPlugin, usedIn } from './bundled.ts';
import { compileForm } from './compile.ts';
import { type ConfigText, readConfigText } from './document.ts';
import type { Problem } from './problem.ts';
import { ByFeature, type Registry, registryOf } from './registry.ts';
import { type ReadText, siblingsOf } from './siblings.ts';

/** A valid config. */
export interface Config {
  readonly cacheTtlMs: number;
  readonly forms: ReadonlyMap<string, Form>;
  /** What features made of their keys at the top, by their names. */
  readonly shared: Registered<Shared>;
  /** Forms that no visitor sends, such as that of alerts, with their paths in the config. */
  readonly further: readonly PlacedForm[];
  /** The environment variables that it reads, in the order in which they were found. */
  readonly env: readonly EnvUse[];
  /** What works, and is probably not meant. Computed on demand, because finding places takes time. */
  warnings(): Promise<readonly Problem[]>;
  /** All of them: the relay's, and those that the config names. */
  readonly registry: Registry;
}

export interface PlacedForm {
  readonly form: Form;
  readonly path: Path;
}

export type ParseResult = Result<Config, readonly Problem[]>;

const namesPlugins = (config: unknown): boolean => isMap(config) && config.plugins !== undefined;

const registries = new Map<string, Registry>();

/** One for the same plugins, since most configs name none and are parsed often. */
export function registryFor(plugins: readonly Plugin[]): Registry {
  const key = plugins.map(({ name }) => name).join('\0');
  const known = registries.get(key);
  if (known?.plugins.every((one, index) => one === plugins[index])) return known;
  const registry = registryOf(plugins);
  registries.set(key, registry);
  return registry;
}

/** Where plug-ins come from, beside those that the program gives. */
export interface PluginSources {
  readonly bundled: readonly BundledPlugin[];
  /** Whether a config may load this package or module. */
  readonly isAllowed: (name: string) => boolean;
  /** Reports what the platform cannot do. */
  readonly checkPlatform?: ((config: unknown, at: Diagnostics) => MaybePromise<void>) | undefined;
}

/** Parses and checks a config; reports all problems at once. Never throws. */
export async function parseConfig(
  text: string,
  file: string,
  plugins: readonly Plugin[],
  context: Omit<OutputContext, 'form'>,
  { bundled, isAllowed, checkPlatform }: PluginSources,
  readText: ReadText,
): Promise<ParseResult> {
  const read = await readConfigText(text);
  if (!read.ok) return err((await import('./advice/explain.ts')).explainMisread(text, file, read.error));
  const { value: config } = read.value;
  const named = namesPlugins(config)
    ? await (await import('./load_plugins.ts')).pluginsNamedIn(config, isAllowed)
    : ok([]);
  if (!named.ok) return err(await problemsOf(text, file, read.value, named.error, registryFor(plugins)));
  const checkedWith = async (used: readonly BundledPlugin[]) => {
    const more = used.length > 0 ? await Promise.all(used.map(({ load }) => load())) : [];
    const all = [...plugins, ...more, ...named.value];
    const checked = await check(config, all, context, { file, readText });
    if (!checked.report.needsPlain) return checked;
    const document = await read.value.document();
    const isPlain = (path: Path) => document?.places.isPlain(path) ?? false;
    return check(config, all, context, { file, readText, isPlain });
  };
  let checked = await checkedWith(usedIn(config, bundled));
  // All bundled plug-ins together know what a misspelled key or type means.
  if (checked.report.errors.length + checked.inSiblings.length > 0 && bundled.length > 0)
    checked = await checkedWith(bundled);
  const { report, inSiblings, value } = checked;
  await checkPlatform?.(config, new Diagnostics([], report));
  if (report.errors.length + inSiblings.length > 0 || !value) {
    const own = await problemsOf(
      text,
      file,
      read.value,
      report.errors,
      value?.registry ?? registryFor(plugins),
    );
    return err([...own, ...inSiblings]);
  }
  const warnings = report.warnings.filter(({ code }) => !checkPlatform || code !== 'store_of_platform');
  return ok({ ...value, warnings: warningsOf(text, file, warnings, value, bundled) });
}

async function problemsOf(
  text: string,
  file: string,
  read: ConfigText,
  errors: readonly Diagnostic[],
  registry: Registry,
): Promise<readonly Problem[]> {
  const document = await read.document();
  if (!document || errors.length === 0) return [];
  return (await import('./advice/explain.ts')).explain(text, file, document, errors, registry);
}

const placed = (forms: Config['forms']): readonly PlacedForm[] =>
  [...forms].map(([id, form]) => ({ form, path: ['forms', id] }));

/** Reads the text once more, so that a config in use does not hold on to the places of everything in it. */
const warningsOf =
  (
    text: string,
    file: string,
    warnings: Report['warnings'],
    { forms, further, registry }: Pick<Config, 'forms' | 'further' | 'registry'>,
    bundled: readonly BundledPlugin[],
  ): Config['warnings'] =>
  async () => {
    const read = await readConfigText(text);
    const document = read.ok ? await read.value.document() : undefined;
    if (!document) return [];
    const { findWarnings } = await import('./advice/warnings.ts');
    const all = [
      ...warnings,
      ...findWarnings(text, document, [...placed(forms), ...further], registry, bundled),
    ];
    return (await import('./advice/explain.ts')).locateIn(text, file, 'warning', document, all);
  };

interface Checked {
  readonly report: Report;
  /** What is wrong in files that the config names. */
  readonly inSiblings: readonly Problem[];
  readonly value?: Omit<Config, 'warnings'>;
}

interface CheckOptions {
  readonly file: string;
  readonly readText: ReadText;
  readonly isPlain?: (path: Path) => boolean;
}

/** What a config is with these plug-ins, and what is wrong with it. */
export function check(
  document: unknown,
  plugins: readonly Plugin[],
  context: Omit<OutputContext, 'form'>,
  { file, readText, isPlain }: CheckOptions,
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
  const written = registry.config(document, at);
  const inSiblings: Problem[] = [];
  const further: PlacedForm[] = [];
  const top: TopContext = {
    outputTypes: registry.outputTypes,
    compile: (id, one, at) => {
      const read = registry.form(one, at);
      const form = read && compileForm(id, read, written ?? {}, new ByFeature(), registry, context, at);
      if (form) further.push({ form, path: at.path });
      return form;
    },
    topSpam: isMap(written?.spam) ? written.spam : {},
    forms: written?.forms ?? new Map(),
    messagesIn: registry.messagesIn,
    services: context.services,
    readSibling: siblingsOf(file, readText, inSiblings),
  };
  const shared = new ByFeature<Shared>();
  const pending = registry.features.flatMap(({ name, configureTop }) => {
    const made = configureTop?.(written ?? {}, at, top);
    if (made instanceof Promise) return made.then((value) => shared.set(name, value));
    shared.set(name, made);
    return [];
  });
  const compileForms = (): Checked => {
    const forms = new Map<string, Form>();
    for (const [id, one] of written?.forms ?? []) {
      const form = compileForm(id, one, written ?? {}, shared, registry, context, at.in('forms', id));
      if (form) forms.set(id, form);
    }
    for (const { validate } of plugins) validate?.(forms, at);
    return {
      report,
      inSiblings,
      value: {
        cacheTtlMs: written?.cache_ttl ?? 0,
        forms,
        shared,
        further,
        env: report.env,
        registry,
      },
    };
  };
  return pending.length > 0 ? Promise.all(pending).then(compileForms) : compileForms();
}
