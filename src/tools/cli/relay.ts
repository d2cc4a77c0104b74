#!/usr/bin/env node
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { didYouMean } from '../../schema/suggestion.ts';
import { parseUrl } from '../../url.ts';
import { version } from '../../version.ts';
import type { CheckOptions } from './check.ts';
import { CommandFailed } from './command_failed.ts';
import type { Shell } from './completion.ts';
import type { ConfigValidateOptions } from './config_validate.ts';
import type { DevOptions } from './dev.ts';
import type { DoctorOptions } from './doctor.ts';
import type { ExplainOptions } from './explain.ts';
import type { FormHtmlOptions } from './form_html.ts';
import { examples } from './help.ts';

// Lookups of the DNS get half of libuv's threads. It reads this when the first of them is needed (D47).
process.env.UV_THREADPOOL_SIZE ??= '16';

/**
 * The command line (SPEC: Command-line tool). Exit codes: 0 fine, 1 the command failed, 2 wrong usage (D23). A command
 * is imported when it runs, so that none waits for what another needs.
 */
function program(): Command {
  const relay = new Command('relay')
    .description('A relay for web forms: forms declared in YAML, submissions delivered to every output.')
    .version(version)
    .option('--config <file>', 'the config file (default: $RELAY_CONFIG, else webform.yaml)', fileName)
    .addHelpText(
      'after',
      examples(
        ['relay init', 'write a first webform.yaml'],
        ['relay --config site/webform.yaml form list', 'name another config'],
        ['relay help config validate', 'help about a command'],
      ),
    )
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .exitOverride();
  const configFile = () => relay.opts<{ config?: string }>().config;

  relay
    .command('init')
    .argument('[file]', 'the config to write (default: that of --config)')
    .summary('write a first config')
    .description('write a first config, with comments, and the schema for editors; overwrite nothing')
    .addHelpText(
      'after',
      examples(
        ['relay init', 'write webform.yaml and webform.schema.json'],
        ['relay init forms.yaml', 'under another name'],
      ),
    )
    .action(async (file: string | undefined) => (await import('./init.ts')).init(file, configFile()));

  relay
    .command('serve')
    .summary('answer HTTP')
    .description(
      'answer HTTP on $HOST:$PORT, with the config of --config, CONFIG_INLINE, CONFIG_FILE, CONFIG_BUCKET or RELAY_CONFIG',
    )
    .addHelpText(
      'after',
      examples(
        ['relay serve', 'serve webform.yaml on port 8080'],
        ['HOST=127.0.0.1 PORT=8081 relay serve', 'only for this machine, on another port'],
      ),
    )
    .action(async () => (await import('./serve.ts')).serve(configFile()));

  relay
    .command('dev')
    .summary('try the forms in a page on this machine; send nothing')
    .description(
      'show the forms in a page on this machine, and what happens to each submission; sends nothing',
    )
    .option('--port <number>', 'the port on 127.0.0.1 (default: $PORT, else 8080)', portNumber)
    .option('--deliver', 'outputs deliver for real')
    .addHelpText(
      'after',
      examples(
        ['relay dev', 'try webform.yaml at http://127.0.0.1:8080'],
        ['relay --config site/webform.yaml dev --port 8081', 'another config on another port'],
      ),
    )
    .action(async (options: DevOptions) => (await import('./dev.ts')).dev(options, configFile()));

  const form = relay.command('form').description('look at the forms of the config');
  form
    .command('list')
    .description('print all form names, one per line, sorted')
    .addHelpText('after', examples(['relay form list', 'such as contact']))
    .action(async () => (await import('./form_list.ts')).formList(configFile()));
  form
    .command('html')
    .argument('<name>', 'the name of the form')
    .summary('print the HTML of a form')
    .description('print the HTML <form> element of a form, to paste into a page that loads htmx')
    .option('--base-url <url>', "the relay's address, for a page of another origin", relayAddress)
    .option('--script', 'print a small script with it, for a page without htmx')
    .addOption(new Option('--plain', 'for a page without any script').conflicts('script'))
    .addHelpText(
      'after',
      examples(
        ['relay form html contact', "for a page on the relay's own site"],
        ['relay form html contact --base-url https://forms.example.com --script', 'for any other page'],
      ),
    )
    .action(async (name: string, options: FormHtmlOptions) =>
      (await import('./form_html.ts')).formHtml(name, options, configFile()),
    );

  relay
    .command('explain')
    .argument('<form>', 'the name of the form')
    .argument('[key=value...]', 'what a visitor fills in', fieldValue)
    .summary('tell what a submission would lead to; send nothing')
    .description(
      'tell what a submission would lead to, with the bytes that each output would send; sends nothing',
    )
    .option('--body <file>', 'a file with the urlencoded body instead, as a browser sends it; - for stdin')
    .option('--json', 'print the story as JSON')
    .addHelpText(
      'after',
      `\nWith key=value, the tokens of min_fill and captcha are added, as by a browser.\nExit code: 0 if it would be delivered, 1 if not.\n${examples(
        ['relay explain contact name=Ada email=ada@example.org message=Hello', 'what each output would send'],
      )}`,
    )
    .action(async (name: string, pairs: readonly string[], options: ExplainOptions, command: Command) => {
      if (pairs.length > 0 && options.body !== undefined) {
        command.error("error: give either key=value or '--body', not both");
      }
      const { explain } = await import('./explain.ts');
      return explain(name, pairs, options, configFile());
    });

  relay
    .command('check')
    .argument('<page>', 'an HTML file, or the address of a page on this machine')
    .requiredOption('--form <name>', 'the form of the config that the page is compared with')
    .option('--base-url <url>', "the relay's address, which the page must send to", relayAddress)
    .option('--json', 'print the findings as JSON')
    .summary('compare a page with a form of the config')
    .description('compare the forms of a page with the config: fields, options, address, method, checks')
    .addHelpText(
      'after',
      `\nExit code: 0 if the page fits (warnings do not count), 1 if it does not.\n${examples(
        ['relay check public/contact.html --form contact', 'what visitors would lose, and where in the page'],
        ['relay check http://localhost:4321/contact --form contact', 'a page of a local web server'],
      )}`,
    )
    .action(async (page: string, options: CheckOptions, command: Command) =>
      (await import('./check.ts')).check(page, options, configFile(), command),
    );

  relay
    .command('doctor')
    .summary('look at everything that a submission would need')
    .description(
      'look at everything that a submission would need: config, environment, servers, DNS; sends no submission',
    )
    .option('--json', 'print the diagnoses as JSON')
    .addHelpText(
      'after',
      `\nRun it where the relay runs, with the same environment and config.\nExit code: 0 if nothing would fail, 1 if something would.\n${examples(
        ['relay doctor', 'each line says ok, warning or FAILURE, and what to do'],
        ['relay doctor --json', 'for other programs'],
      )}`,
    )
    .action(async (options: DoctorOptions) => (await import('./doctor.ts')).doctor(options, configFile()));

  const config = relay.command('config').description('look at the config');
  config
    .command('validate')
    .summary('print "ok", or everything that is wrong')
    .description('parse the config and print "ok", or everything that is wrong with it')
    .addOption(
      new Option('--format <format>', 'github: annotations of a pull request')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .addHelpText(
      'after',
      examples(
        ['relay config validate', 'exit code 1 when the config does not load'],
        ['relay config validate --json', 'for other programs'],
        ['relay config validate --format github', 'for a GitHub workflow'],
      ),
    )
    .allowExcessArguments()
    .action(async (options: ConfigValidateOptions, command: Command) => {
      const [file] = command.args;
      if (file !== undefined) command.error(`error: too many arguments; ${namedConfig(file)}`);
      return (await import('./config_validate.ts')).configValidate(options, configFile());
    });
  config
    .command('schema')
    .summary('print the JSON Schema of the config')
    .description('print the JSON Schema of the config, which editors complete and check it with')
    .addHelpText(
      'after',
      examples(['relay config schema > webform.schema.json', 'the file that a config of relay init names']),
    )
    .action(async () => (await import('./config_schema.ts')).configSchema());

  relay
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .summary('print a script for bash, zsh or fish')
    .description('print a script that lets the shell complete commands, options, forms and files')
    .addHelpText(
      'after',
      `
To have it in every new shell (in zsh, below the line with compinit):
  bash   echo 'source <(relay completion bash)' >> ~/.bashrc
  zsh    echo 'source <(relay completion zsh)' >> ~/.zshrc
  fish   relay completion fish > ~/.config/fish/completions/relay.fish
${examples(['source <(relay completion bash)', 'to have it in this shell'])}`,
    )
    .action(async (shell: Shell) => (await import('./completion.ts')).completion(shell));
  relay
    .command('__complete', { hidden: true })
    .argument('<words...>')
    .action(async (words: readonly string[]) => (await import('./completion.ts')).complete(relay, words));

  relay
    .command('help')
    .argument('[command...]', 'such as config validate')
    .description('show help about a command')
    .addHelpText('after', examples(['relay help form html', 'the same as relay form html --help']))
    .action((names: readonly string[]) => {
      const about = names.reduce<Command>(
        (command, name) =>
          command.commands.find((one) => one.name() === name) ?? unknownCommand(command, name),
        relay,
      );
      about.help();
    });
  explainErrors(relay, '--help');
  return relay;
}

/** Each error leads to the help about its command, and an unknown command to the nearest one. */
function explainErrors(command: Command, help: string): void {
  command.showHelpAfterError(`Run relay ${help} to see how it is used.`);
  if (command.commands.length > 0) {
    command.on('command:*', ([name = '']: readonly string[]) => unknownCommand(command, name));
  }
  for (const one of command.commands) explainErrors(one, `${help.replace('--', '')} ${one.name()}`);
}

function unknownCommand(command: Command, name: string): never {
  if (/\.ya?ml$/i.test(name)) command.error(`error: unknown command '${name}'; ${namedConfig(name)}`);
  const near =
    didYouMean(
      name,
      command.commands.map((one) => one.name()),
    ) ||
    command.commands
      .flatMap((group) => group.commands.map((one) => [one.name(), `${group.name()} ${one.name()}`] as const))
      .filter(([last]) => didYouMean(name, [last]) !== '')
      .map(([, path]) => ` (did you mean ${path}?)`)[0];
  return command.error(`error: unknown command '${name}'${near ?? ''}`);
}

const namedConfig = (file: string) => `name the config with --config: relay --config ${file} config validate`;

/** Collects `key=value`. */
function fieldValue(pair: string, pairs: readonly string[] = []): readonly string[] {
  if (pair.indexOf('=') < 1)
    throw new InvalidArgumentError('Expected key=value, such as email=ada@example.org.');
  return [...pairs, pair];
}

function fileName(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected the name of a file.');
  return text;
}

function relayAddress(text: string): string {
  if (!/^https?:\/\/[^/]/.test(text) || !parseUrl(text))
    throw new InvalidArgumentError('Expected an address such as https://forms.example.com.');
  if (/\/api\/v1(\/|$)/.test(new URL(text).pathname))
    throw new InvalidArgumentError('Expected it without /api/v1, which the relay adds itself.');
  return text;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return port;
}

async function main(): Promise<void> {
  // `relay form list | head -1`: who reads no further needs no complaint, and changes no exit code.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') {
      process.stderr.write(`the output cannot be written (${code})\n`);
      process.exitCode = 1;
    }
    process.exit();
  });
  // A log that nobody takes any more must not end what it tells of.
  process.stderr.on('error', () => {});
  try {
    await program().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else if (error instanceof CommandFailed) {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    } else {
      throw error;
    }
  }
}

void main();
