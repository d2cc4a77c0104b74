import { mailAccounts } from '@form-relay/clients/smtp/mail_services';
import { recipeNames } from '@form-relay/studio/recipe_names';
import { templateNames } from '@form-relay/studio/template_names';
import { Command, Option } from 'commander';
import { examples, fileName, mailAccountName, pageName, recipeName, templateName } from '../usage.ts';

interface InitOptions {
  readonly from?: string;
  readonly form?: string;
  readonly output?: string;
  readonly template?: string;
  /** `true` without a name. */
  readonly mail?: string | true;
}

/** Words in rows of 80 characters. */
const columns = (words: readonly string[]) => `${words.join(', ').replaceAll(/(.{1,76})(?: |$)/g, '  $1\n')}`;

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
    new Option(
      '--mail [provider]',
      'by mail through one of the providers below; alone, it lists what they want',
    )
      .argParser(mailAccountName)
      .conflicts(['from', 'form', 'output']),
  )
  .option('--from <page>', 'an HTML file, or the address of a page on this machine, with a form', pageName)
  .option('--form <form>', 'its id, name or number, where the page has several')
  .addHelpText(
    'after',
    `\nTemplates:\n${columns(Object.keys(templateNames))}\nServices:\n${columns(Object.keys(recipeNames))}\nMail providers:\n${columns(Object.keys(mailAccounts))}${examples(
      ['relay init', 'write webform.yaml and webform.schema.json'],
      ['relay init forms.yaml', 'under another name'],
      ['relay init --template quote', 'a complete form with steps and conditions'],
      ['relay init --output slack', 'with all that Slack needs'],
      ['relay init --mail gmail', 'a mail for each submission, through your account'],
      ['relay init --from public/contact.html', 'for a form that a service or a script took so far'],
      ['relay init --from http://localhost:4321/contact --form 2', 'of a local web server, its second form'],
    )}`,
  )
  .action(
    async (
      file: string | undefined,
      { from, form, mail, output, template }: InitOptions,
      command: Command,
    ) => {
      const options = command.optsWithGlobals();
      if (mail !== undefined) {
        const { listMailAccounts, writeMailConfig } = await import('../write_mail_config.ts');
        return mail === true ? listMailAccounts() : writeMailConfig(file, options, mail);
      }
      if (template !== undefined)
        return (await import('../write_template.ts')).writeTemplate(file, options, template);
      if (output !== undefined)
        return (await import('../write_recipe.ts')).writeRecipe(file, options, output);
      if (from !== undefined)
        return (await import('../move_form_in.ts')).moveFormIn(file, { ...options, from });
      if (form !== undefined) command.error("error: option '--form' needs '--from', which names the page");
      return (await import('../write_first_config.ts')).writeFirstConfig(file, options);
    },
  );
