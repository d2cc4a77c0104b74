/** The commands: the relay's own, and those of plug-ins that a config or RELAY_PLUGINS names. */
import type { Command, ownCommands } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { namedPlugins } from './environment.ts';
import summaries from './summaries.json' with { type: 'json' };

type OwnCommand = Exclude<(typeof ownCommands)[number], 'help'>;
type Load = () => Promise<{ readonly plugin: Plugin }>;

const keys: Load = () => import('@form-relay/senders/keys/command');
const serve: Load = () => import('./commands/serve.ts');

/** Each command is loaded when it runs, so that none waits for modules that only others need. */
const own: Readonly<Record<OwnCommand, Load>> = {
  init: () => import('./commands/init.ts'),
  serve,
  dev: () => import('./commands/dev.ts'),
  inbox: () => import('./commands/inbox.ts'),
  demo: () => import('./commands/demo.ts'),
  form: () => import('./commands/form.ts'),
  explain: () => import('./commands/explain.ts'),
  test: () => import('./commands/test.ts'),
  places: () => import('@form-relay/capacity/places/command'),
  link: () => import('@form-relay/senders/links/command'),
  ask: () => import('@form-relay/ask/command'),
  check: () => import('./commands/check.ts'),
  canary: () => import('@form-relay/canary/command'),
  report: () => import('@form-relay/report/command'),
  doctor: () => import('./commands/doctor.ts'),
  mcp: () => import('./commands/mcp.ts'),
  skill: () => import('./commands/skill.ts'),
  health: serve,
  config: () => import('./commands/config.ts'),
  webhook: keys,
  receipt: () => import('@form-relay/senders/receipt/command'),
  archive: () => import('@form-relay/stored/archive/command'),
  rules: () => import('@form-relay/learning/command'),
  kept: () => import('@form-relay/stored/kept/command'),
  clients: () => import('@form-relay/client-configs/command'),
  keys,
  plugin: () => import('@form-relay/starters/plugin_command'),
};

const isOwn = (name: string): name is OwnCommand => Object.hasOwn(own, name);

/** The relay's own command with this name or alias. */
export async function ownCommand(given: string): Promise<Command | undefined> {
  const name = ownSummaries.find(({ alias }) => alias === given)?.name ?? given;
  if (!isOwn(name)) return undefined;
  const { plugin } = await own[name]();
  return plugin.commands?.find((one) => one.name === name);
}

/** The names and summaries of the relay's own commands, without their modules. */
export const ownSummaries: readonly Command[] = summaries;

export interface OfPlugin {
  readonly command: Command;
  /** The plug-in's name. */
  readonly plugin: string;
}

/** @param configOption The value of --config. */
export async function commandsOfPlugins(configOption: string | undefined): Promise<readonly OfPlugin[]> {
  const plugins = await namedPlugins(configOption);
  return plugins.flatMap(({ name, commands = [] }) => commands.map((command) => ({ command, plugin: name })));
}
