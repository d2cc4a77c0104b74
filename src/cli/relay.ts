#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { version } from '../version.ts';
import { CommandFailed } from './command_failed.ts';
import { configValidate } from './config_validate.ts';
import { type FormHtmlOptions, formHtml } from './form_html.ts';
import { formList } from './form_list.ts';
import { serve } from './serve.ts';

/** The command line (SPEC: Command-line tool). Exit codes: 0 fine, 1 the command failed, 2 wrong usage (D23). */
function program(): Command {
  const relay = new Command('relay')
    .description('A relay for web forms: forms declared in YAML, submissions delivered to every output.')
    .version(version)
    .option('--config <file>', 'the config file (default: $RELAY_CONFIG, else webform.yaml)')
    .exitOverride()
    .showHelpAfterError('Run relay --help to see how it is used.');
  const configFile = () => relay.opts<{ config?: string }>().config;

  relay
    .command('serve')
    .description(
      'answer HTTP on $HOST:$PORT, with the config of --config, CONFIG_INLINE, CONFIG_FILE, CONFIG_BUCKET or RELAY_CONFIG',
    )
    .action(() => serve(configFile()));

  const form = relay.command('form').description('look at the forms of the config');
  form
    .command('list')
    .description('print all form names, one per line, sorted')
    .action(() => formList(configFile()));
  form
    .command('html')
    .argument('<name>', 'the name of the form')
    .description('print the HTML <form> element of a form, to paste into a page that loads htmx')
    .option('--base-url <url>', "the relay's address, for a page of another origin")
    .option('--script', 'print a small script with it, for a page without htmx')
    .addOption(new Option('--plain', 'for a page without any script').conflicts('script'))
    .action((name: string, options: FormHtmlOptions) => formHtml(name, options, configFile()));

  const config = relay.command('config').description('look at the config');
  config
    .command('validate')
    .description('parse the config and print "ok", or everything that is wrong with it')
    .action(() => configValidate(configFile()));
  return relay;
}

async function main(): Promise<void> {
  // `relay form list | head -1`: who reads no further needs no complaint.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
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
