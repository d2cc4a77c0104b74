/** The command line (SPEC: Command-line tool). Exit codes: 0 success, 1 the command failed, 2 wrong usage. */

import { version } from '@form-relay/base/version';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { commandsOfPlugins, ownCommand, ownSummaries } from './commands.ts';
import { calledAs, namedPlugins, readEnvironment, run } from './environment.ts';
import { commandOf, examplesOf, unknownCommand } from './program.ts';

function fileName(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected the name of a file.');
  return text;
}

const relay = new Command(calledAs())
  .description('A relay for web forms: forms declared in YAML, submissions delivered to every output.')
  .version(version)
  .option('--config <file>', 'the config file (default: $RELAY_CONFIG, else webform.yaml)', fileName)
  .option('--no-plugins', 'load no plug-ins; their keys become warnings')
  .addHelpText(
    'after',
    examplesOf([
      ['relay init', 'write your first webform.yaml'],
      ['relay --config site/webform.yaml form list', 'use another config'],
      ['relay help config validate', 'show help for a command'],
    ]),
  );

const help = new Command('help')
  .argument('[command...]', 'such as config validate')
  .description('show help for a command')
  .addHelpText('after', examplesOf([['relay help form html', 'the same as relay form html --help']]))
  .action((names: readonly string[]) => {
    const find = (command: Command, name: string) =>
      command.commands.find((one) => one.name() === name || one.alias() === name) ??
      unknownCommand(command, name);
    names.reduce(find, relay).help();
  });

/** Settings common to all commands: an error points to the command's help, and is thrown to `main`. */
function behave(command: Command, askForHelp = `${calledAs()} --help`): void {
  command
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (one) => one.name() })
    .showHelpAfterError(`Run ${askForHelp} for usage.`);
  if (command.commands.length === 0) return;
  command.on('command:*', ([name = '']: readonly string[]) => unknownCommand(command, name));
  for (const one of command.commands) behave(one, `${askForHelp.replace('--', '')} ${one.name()}`);
}

interface Words {
  readonly config?: string | undefined;
  readonly noPlugins: boolean;
  /** The first word that is not an option. */
  readonly name?: string;
}

/** The words before the command, which decide what to load. */
function readWords(words: readonly string[]): Words {
  const [word, next, ...rest] = words;
  const others = next === undefined ? [] : [next, ...rest];
  if (word === undefined) return { noPlugins: false };
  if (word === '--config') return { config: next, ...readWords(rest) };
  if (word.startsWith('--config=')) return { config: word.slice('--config='.length), ...readWords(others) };
  if (word === '--no-plugins') return { ...readWords(others), noPlugins: true };
  return word.startsWith('-') ? readWords(others) : { noPlugins: false, name: word };
}

/** Adds the command that was called. Help and typing errors need all commands, including those of plug-ins. */
async function addCommands({ config, noPlugins, name }: Words, words: readonly string[]): Promise<void> {
  if (name === undefined && words.some((word) => word === '--version' || word === '-V')) {
    if (noPlugins) return;
    readEnvironment(config);
    const plugins = await namedPlugins(config);
    const also = plugins.length > 0 ? `Plug-ins: ${plugins.map((one) => one.name).join(', ')}\n` : '';
    relay.configureOutput({ writeOut: (text) => void process.stdout.write(text + also) });
    return;
  }
  const called = name === undefined ? undefined : await ownCommand(name);
  if (called) return void relay.addCommand(commandOf(called));
  // `relay help form html` loads only the named command; the others are listed by name.
  const asked = words.slice(words.indexOf('help') + 1).find((word) => !word.startsWith('-'));
  const explained = name === 'help' && asked !== undefined ? await ownCommand(asked) : undefined;
  for (const one of ownSummaries) relay.addCommand(commandOf(one.name === explained?.name ? explained : one));
  if (!noPlugins) {
    readEnvironment(config);
    for (const { command, plugin } of await commandsOfPlugins(config))
      relay.addCommand(commandOf(command, plugin));
  }
  relay.addCommand(help);
}

relay.hook('preAction', (_, action) => {
  if (action !== help) readEnvironment(relay.opts().config);
  if (relay.opts().plugins === false)
    process.env.RELAY_PLUGINS = ['none', process.env.RELAY_PLUGINS].filter(Boolean).join();
});

/** Settles when the command has ended. */
export const ended = run(async () => {
  const words = process.argv.slice(2);
  if (words.length === 0 && process.stdin.isTTY && process.stdout.isTTY) {
    const { welcome } = await import('./welcome.ts');
    return welcome();
  }
  try {
    await addCommands(readWords(words), words);
    behave(relay);
    await relay.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
});
