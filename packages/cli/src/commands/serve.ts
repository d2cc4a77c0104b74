import type { Command as AnyCommand } from 'commander';
import { Command, unknownCommand } from '../usage.ts';

export const serve = new Command('serve')
  .summary('answer HTTP')
  .description(
    'answer HTTP on $HOST:$PORT, with the config of --config, CONFIG_INLINE, CONFIG_FILE, CONFIG_BUCKET or RELAY_CONFIG',
  )
  .examples(
    ['relay serve', 'serve webform.yaml on port 8080'],
    ['HOST=127.0.0.1 PORT=8081 relay serve', 'only for this machine, on another port'],
  )
  .runs(async ({ config }) => (await import('../serve_http.ts')).serve(config));

export const health = new Command('health')
  .summary('ask the relay on this machine whether it answers')
  .description('ask the relay on this machine (PORT) whether it answers, for health checks of containers')
  .option('--ready', 'also whether it can take submissions: it has a config, and can store what that keeps')
  .examples(
    ['relay health', 'ends with 0 if it answers, else with 1'],
    ['relay health --ready', 'the same for /readyz'],
  )
  .action(async (options: { readonly ready?: boolean }) =>
    (await import('../ask_health.ts')).askHealth(options),
  );

export const help = new Command('help')
  .argument('[command...]', 'such as config validate')
  .description('show help about a command')
  .examples(['relay help form html', 'the same as relay form html --help'])
  .action((names: readonly string[], _, { parent }: AnyCommand) => {
    const find = (command: AnyCommand, name: string) =>
      command.commands.find((one) => one.name() === name) ?? unknownCommand(command, name);
    if (parent) names.reduce(find, parent).help();
  });
