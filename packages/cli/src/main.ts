/**
 * The command line (SPEC: Command-line tool). Exit codes: 0 fine, 1 the command failed, 2 wrong usage. Each
 * command imports what it runs only when it runs, so that none waits for what another needs.
 */

import { version } from '@form-relay/base/version';
import { Command, CommanderError } from 'commander';
import { calledAs } from './called_as.ts';
import { archiveErase } from './commands/archive_erase.ts';
import { archiveExport } from './commands/archive_export.ts';
import { archiveList } from './commands/archive_list.ts';
import { archivePrune } from './commands/archive_prune.ts';
import { archiveShow } from './commands/archive_show.ts';
import { check } from './commands/check.ts';
import { configSchema } from './commands/config_schema.ts';
import { configValidate } from './commands/config_validate.ts';
import { dev } from './commands/dev.ts';
import { doctor } from './commands/doctor.ts';
import { explain } from './commands/explain.ts';
import { formCss } from './commands/form_css.ts';
import { formHtml } from './commands/form_html.ts';
import { formList } from './commands/form_list.ts';
import { formMessages } from './commands/form_messages.ts';
import { health } from './commands/health.ts';
import { help } from './commands/help.ts';
import { inbox } from './commands/inbox.ts';
import { init } from './commands/init.ts';
import { keepSetup } from './commands/keep_setup.ts';
import { keptDeliver } from './commands/kept_deliver.ts';
import { keptDrop } from './commands/kept_drop.ts';
import { keptExport } from './commands/kept_export.ts';
import { keptList } from './commands/kept_list.ts';
import { keptRetry } from './commands/kept_retry.ts';
import { keptShow } from './commands/kept_show.ts';
import { keyNew } from './commands/key_new.ts';
import { keyPublic } from './commands/key_public.ts';
import { keysNew } from './commands/keys_new.ts';
import { link } from './commands/link.ts';
import { mailsBlocked } from './commands/mails_blocked.ts';
import { mailsUnblock } from './commands/mails_unblock.ts';
import { mcp } from './commands/mcp.ts';
import { places } from './commands/places.ts';
import { pluginNew } from './commands/plugin_new.ts';
import { receiptVerify } from './commands/receipt_verify.ts';
import { rulesLearn } from './commands/rules_learn.ts';
import { rulesMark } from './commands/rules_mark.ts';
import { serve } from './commands/serve.ts';
import { test } from './commands/test.ts';
import { webhookSecret } from './commands/webhook_secret.ts';
import { readEnvironment, run } from './run.ts';
import { examples, fileName, unknownCommand } from './usage.ts';

const form = new Command('form')
  .description('look at the forms of the config')
  .addCommand(formList)
  .addCommand(formHtml)
  .addCommand(formMessages)
  .addCommand(formCss);

const config = new Command('config')
  .description('look at the config')
  .addCommand(configValidate)
  .addCommand(configSchema);

const mails = new Command('mails')
  .description('look at addresses that get no mails, since one came back')
  .addCommand(mailsBlocked)
  .addCommand(mailsUnblock);

const webhook = new Command('webhook').description('sign webhooks').addCommand(webhookSecret);

const receipt = new Command('receipt')
  .description('check the receipts that visitors have')
  .addCommand(receiptVerify);

const archive = new Command('archive')
  .description('look submissions up that folder and s3 outputs keep')
  .addCommand(archiveList)
  .addCommand(archiveShow)
  .addCommand(archiveExport)
  .addCommand(archivePrune)
  .addCommand(archiveErase);

const rules = new Command('rules')
  .description('mark submissions as spam or not, and learn from them')
  .addCommand(rulesMark)
  .addCommand(rulesLearn);

const kept = new Command('kept')
  .description('look at what outputs still owe, and have it delivered')
  .addCommand(keptList)
  .addCommand(keptShow)
  .addCommand(keptRetry)
  .addCommand(keptDeliver)
  .addCommand(keptDrop)
  .addCommand(keptExport);

const keep = new Command('keep').description('where deliveries are kept').addCommand(keepSetup);

const key = new Command('key')
  .description('keys that archives are sealed with')
  .addCommand(keyNew)
  .addCommand(keyPublic);

const keys = new Command('keys').description('keys of servers that send').addCommand(keysNew);

const plugin = new Command('plugin').description('add what the relay lacks').addCommand(pluginNew);

const relay = new Command(calledAs)
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
  .addCommand(init)
  .addCommand(serve)
  .addCommand(dev)
  .addCommand(inbox)
  .addCommand(form)
  .addCommand(explain)
  .addCommand(test)
  .addCommand(places)
  .addCommand(mails)
  .addCommand(link)
  .addCommand(check)
  .addCommand(doctor)
  .addCommand(mcp)
  .addCommand(health)
  .addCommand(config)
  .addCommand(webhook)
  .addCommand(receipt)
  .addCommand(archive)
  .addCommand(rules)
  .addCommand(kept)
  .addCommand(keep)
  .addCommand(key)
  .addCommand(keys)
  .addCommand(plugin)
  .addCommand(help);

/** Common to all commands: an error leads to the help about its command, and ends in `main`. */
function behave(command: Command, askForHelp = `${calledAs} --help`): void {
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
