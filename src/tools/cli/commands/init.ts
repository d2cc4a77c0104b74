import { Command } from 'commander';
import { examples, fileName, pageName } from '../usage.ts';

export const init = new Command('init')
  .argument('[file]', 'the config to write (default: that of --config)', fileName)
  .summary('write a first config')
  .description(
    'write a first config, or that of a form you have, and the schema for editors; overwrite nothing',
  )
  .option('--from <page>', 'an HTML file, or the address of a page on this machine, with a form', pageName)
  .option('--form <form>', 'its id, name or number, where the page has several')
  .addHelpText(
    'after',
    examples(
      ['relay init', 'write webform.yaml and webform.schema.json'],
      ['relay init forms.yaml', 'under another name'],
      ['relay init --from public/contact.html', 'for a form that a service or a script took so far'],
      ['relay init --from http://localhost:4321/contact --form 2', 'of a local web server, its second form'],
    ),
  )
  .action(
    async (file: string | undefined, { from, form }: { from?: string; form?: string }, command: Command) => {
      const options = command.optsWithGlobals();
      if (from !== undefined)
        return (await import('../move_form_in.ts')).moveFormIn(file, { ...options, from });
      if (form !== undefined) command.error("error: option '--form' needs '--from', which names the page");
      return (await import('../write_first_config.ts')).writeFirstConfig(file, options);
    },
  );
