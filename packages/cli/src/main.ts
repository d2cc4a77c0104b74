/**
 * The command line (SPEC: Command-line tool). Exit codes: 0 fine, 1 the command failed, 2 wrong usage. Each
 * command imports what it runs only when it runs, so that none waits for what another needs.
 */

import { version } from '@form-relay/base/version';
import { type Command as AnyCommand, CommanderError } from 'commander';
import { calledAs } from './called_as.ts';
import { archive } from './commands/archive.ts';
import { check } from './commands/check.ts';
import { config } from './commands/config.ts';
import { dev } from './commands/dev.ts';
import { doctor } from './commands/doctor.ts';
import { explain } from './commands/explain.ts';
import { form } from './commands/form.ts';
import { inbox } from './commands/inbox.ts';
import { init } from './commands/init.ts';
import { kept } from './commands/kept.ts';
import { keys, receipt, webhook } from './commands/keys.ts';
import { link } from './commands/link.ts';
import { mcp } from './commands/mcp.ts';
import { places } from './commands/places.ts';
import { plugin } from './commands/plugin.ts';
import { rules } from './commands/rules.ts';
import { health, help, serve } from './commands/serve.ts';
import { test } from './commands/test.ts';
import { readEnvironment, run } from './run.ts';
import { Command, fileName, unknownCommand } from './usage.ts';

const relay = new Command(calledAs)
  .description('A relay for web forms: forms declared in YAML, submissions delivered to every output.')
  .version(version)
  .option('--config <file>', 'the config file (default: $RELAY_CONFIG, else webform.yaml)', fileName)
  .option('--no-plugins', 'load no plug-in: what the config has of one is a warning')
  .examples(
    ['relay init', 'write a first webform.yaml'],
    ['relay --config site/webform.yaml form list', 'name another config'],
    ['relay help config validate', 'help about a command'],
  )
  .addCommands(
    init,
    serve,
    dev,
    inbox,
    form,
    explain,
    test,
    places,
    link,
    check,
    doctor,
    mcp,
    health,
    config,
    webhook,
    receipt,
    archive,
    rules,
    kept,
    keys,
    plugin,
    help,
  );

/** Common to all commands: an error leads to the help about its command, and ends in `main`. */
function behave(command: AnyCommand, askForHelp = `${calledAs} --help`): void {
  command
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (one) => one.name() })
    .showHelpAfterError(`Run ${askForHelp} to see how it is used.`);
  if (command.commands.length === 0) return;
  command.on('command:*', ([name = '']: readonly string[]) => unknownCommand(command, name));
  for (const one of command.commands) behave(one, `${askForHelp.replace('--', '')} ${one.name()}`);
}

relay.hook('preAction', async (_, action) => {
  if (action !== help) await readEnvironment(relay.opts().config);
  if (relay.opts().plugins === false)
    process.env.RELAY_PLUGINS = ['none', process.env.RELAY_PLUGINS].filter(Boolean).join();
});

behave(relay);

/** Settles when the command has ended. */
export const ended = run(async () => {
  try {
    await relay.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
});
