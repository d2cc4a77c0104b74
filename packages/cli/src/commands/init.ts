import { mailAccounts } from '@form-relay/mail-dns/mail_services';
import { recipeNames } from '@form-relay/starters/recipe_names';
import { templateNames } from '@form-relay/starters/template_names';
import { InvalidArgumentError, Option } from 'commander';
import {
  Command,
  fileName,
  type GlobalOptions,
  mailAccountName,
  pageName,
  recipeName,
  templateName,
} from '../usage.ts';

interface InitOptions extends GlobalOptions {
  readonly from?: string;
  readonly form?: string;
  readonly output?: string;
  readonly template?: string;
  /** `true` without a name. */
  readonly mail?: string | true;
}

/** Names in rows of 80 characters. */
const columns = (title: string, named: object) =>
  `\n${title}:${Object.keys(named)
    .join(', ')
    .replaceAll(/(.{1,76})(?: |$)/g, '\n  $1')}`;

export const init = new Command('init')
  .argument('[file]', 'the config to write (default: that of --config)', fileName)
  .summary('write a first config')
  .description(
    'write a first config, a complete form, one for a service, or that of a form you have, and the schema for editors; overwrite nothing',
  )
  .addOption(
    new Option('--template <name>', 'a complete form: one of the templates below')
      .argParser(templateName)
      .conflicts(['from', 'form', 'output', 'mail']),
  )
  .addOption(
    new Option('--output <service>', 'where submissions go: one of the services below')
      .argParser(recipeName)
      .conflicts(['from', 'form']),
  )
  .addOption(
    new Option('--mail [provider]', 'by mail through one of the providers below; alone, it lists them all')
      .argParser(mailAccountName)
      .conflicts(['from', 'form', 'output']),
  )
  .option('--from <file>', 'a page with a form, or an export of one', pageName)
  .option('--form <form>', 'its id, name or number, where the file has several')
  .addHelpText('after', columns('Templates', templateNames))
  .addHelpText('after', columns('Services', recipeNames))
  .addHelpText('after', columns('Mail providers', mailAccounts))
  .examples(
    ['relay init', 'write webform.yaml and webform.schema.json'],
    ['relay init forms.yaml', 'under another name'],
    ['relay init --template quote', 'a complete form with steps and conditions'],
    ['relay init --output slack', 'with all that Slack needs'],
    ['relay init --mail gmail', 'a mail for each submission, through your account'],
    ['relay init --from public/contact.html', 'for a form that a service or a script took so far'],
  )
  .runs(async (options: InitOptions, file?: string) => {
    const { from, form, mail, output, template } = options;
    if (mail !== undefined) {
      const { listMailAccounts, writeMailConfig } = await import('../write_mail_config.ts');
      return mail === true ? listMailAccounts() : writeMailConfig(file, options, mail);
    }
    if (template !== undefined)
      return (await import('../write_template.ts')).writeTemplate(file, options, template);
    if (output !== undefined)
      return (await import('../write_template.ts')).writeRecipe(file, options, output);
    if (from !== undefined)
      return (await import('../move_form_in.ts')).moveFormIn(file, { ...options, from });
    if (form !== undefined)
      throw new InvalidArgumentError("option '--form' needs '--from', which names the file");
    return (await import('../write_first_config.ts')).writeFirstConfig(file, options);
  });
