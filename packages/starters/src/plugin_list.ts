/** The output of `relay plugin list`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { sizeInWords } from '@form-relay/base/values';
import { version } from '@form-relay/base/version';
import { type CommandContext, configPath } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { namesOf } from '@form-relay/plugin-host/claims';
import { originOf } from '@form-relay/plugin-host/load_plugins';
import { bundledRegistry, othersIn } from '@form-relay/runtimes/inspect';
import catalogue from './catalogue.json' with { type: 'json' };

interface Listed {
  readonly name: string;
  /**
   * Whether the config or RELAY_PLUGINS names it, the catalogue or the relay contains it, or it is only
   * installed beside the config.
   */
  readonly from: 'config' | 'catalogue' | 'relay' | 'installed';
  readonly isLoaded: boolean;
  readonly version?: string | undefined;
  /** The path of its module, relative to the folder in which the command runs. */
  readonly path?: string | undefined;
  /** The purpose of the plug-in. */
  readonly summary?: string | undefined;
  /** The size of its module, in bytes. In the catalogue, this includes its libraries. */
  readonly size?: number | undefined;
  /** The types, commands and others that it adds, for example `output crm`. */
  readonly adds: readonly string[];
}

/** Prints the list. Then throws a `CommandFailed` if the config does not load. */
export async function listPlugins(context: CommandContext, asJson: boolean): Promise<void> {
  const file = configPath(context.configOption, context.env);
  // Without a config, the list shows what is available.
  const isNone = context.configOption === undefined && !existsSync(file);
  const tried = isNone ? undefined : await context.tryConfig();
  const config = tried?.ok ? tried : undefined;
  const loaded = new Set(config?.value.registry.plugins.map(({ name }) => name));
  const others = config ? (await othersIn(config.value)).map(fromConfig) : [];
  const own = (await bundledRegistry()).plugins.map(
    (plugin): Listed => ({
      name: plugin.name,
      from: 'relay',
      isLoaded: loaded.has(plugin.name),
      version,
      ...unitOf(plugin.name),
      adds: addsOf(plugin),
    }),
  );
  const isUsed = (name: string) => others.some(({ path = '' }) => path.includes(join('node_modules', name)));
  const idle = installedIn(dirname(file)).filter(({ name }) => !isUsed(name));
  const all = [...others, ...idle, ...own.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
  context.print(asJson ? `${JSON.stringify(all, null, 2)}\n` : printed(all));
  if (!tried || tried.ok) return;
  if (!asJson)
    context.print('The config does not load, so this list does not show which plug-ins it uses:\n');
  throw context.fail(tried.error);
}

function fromConfig(plugin: Plugin): Listed {
  const origin = originOf(plugin);
  return {
    name: plugin.name,
    from: 'config',
    isLoaded: true,
    version: origin?.version,
    path: origin && relative('.', origin.path),
    size: origin?.size,
    adds: addsOf(plugin),
  };
}

const units: Readonly<Record<string, { readonly summary: string; readonly kilobytes: number }>> = catalogue;

function unitOf(name: string): Pick<Listed, 'from' | 'summary' | 'size'> | undefined {
  if (!Object.hasOwn(units, name)) return undefined;
  const { summary, kilobytes } = units[name] as (typeof units)[string];
  return { from: 'catalogue', summary, size: kilobytes * 1_024 };
}

/** Names of plug-ins and features are internal, so they are left out. */
const addsOf = (plugin: Plugin) =>
  namesOf(plugin)
    .filter((name) => !/^((plugin|feature|script) |store $)/.test(name))
    .map((name) => name.replace(/Type /, ' ').replace(/ \*$/, ' of any type'));

/** Packages with the keyword for plug-ins, installed beside the config or in a parent folder. */
function installedIn(folder: string): readonly Listed[] {
  const found = new Map<string, Listed>();
  for (let at = resolve(folder); ; at = dirname(at)) {
    const modules = join(at, 'node_modules');
    for (const name of packagesIn(modules)) {
      const { version: own, keywords } = readPackage(join(modules, name));
      if (!found.has(name) && Array.isArray(keywords) && keywords.includes('form-relay-plugin'))
        found.set(name, { name, from: 'installed', isLoaded: false, version: own, adds: [] });
    }
    if (at === dirname(at)) return [...found.values()];
  }
}

function packagesIn(modules: string): readonly string[] {
  if (!existsSync(modules)) return [];
  return readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => join(name, one)) : name,
  );
}

function readPackage(folder: string): { readonly version?: string; readonly keywords?: unknown } {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return {};
  }
}

const headings = {
  config: 'Listed in the config or RELAY_PLUGINS:',
  installed: 'Installed, but not listed under `plugins`:',
  relay: 'Parts of the relay that this config uses:',
  catalogue: 'The catalogue, whose units need no `plugins` (* marks those in use):',
};

function printed(all: readonly Listed[]): string {
  const sections = (['config', 'installed', 'relay', 'catalogue'] as const).map((from) => {
    const some = all.filter((one) => one.from === from && (from !== 'relay' || one.isLoaded));
    return some.length === 0 ? '' : `${headings[from]}\n${some.map(lineOf).join('')}\n`;
  });
  const idle = all.filter(({ from, isLoaded }) => from === 'relay' && !isLoaded);
  return `${sections.join('')}Parts of the relay that are not loaded: ${idle
    .map(({ name }) => name)
    .join(', ')}\n`;
}

function lineOf({ name, from, isLoaded, version: own, path, summary, size, adds }: Listed): string {
  const what = [
    from === 'relay' || from === 'catalogue' ? undefined : own,
    path,
    summary,
    size === undefined ? undefined : sizeInWords(size),
    adds.length === 0 ? undefined : `adds ${adds.join(', ')}`,
  ];
  return `${from === 'catalogue' && isLoaded ? '*' : ' '} ${[name, ...what].filter((one) => one !== undefined).join('  ')}\n`;
}
