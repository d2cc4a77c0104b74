import { Command } from 'commander';
import { examples, languageTag, relayAddress } from '../usage.ts';

export const formHtml = new Command('html')
  .argument('<name>', 'the name of the form')
  .summary('print the HTML of a form')
  .description('print the HTML <form> element of a form, to paste into any page')
  .option('--base-url <url>', "the relay's address, for a page of another origin", relayAddress)
  .option('--script', 'print what loads the script, too; once a page is enough')
  .option('--no-style', "leave out the link to the relay's stylesheet (with --tag and --script)")
  .option('--tag', 'print the tag that loads the form, and the script')
  .option('--lang <language>', 'of a form in several languages, another than the first', languageTag)
  .addHelpText(
    'after',
    examples(
      ['relay form html contact --tag', 'a few lines: the form appears in their place'],
      ['relay form html contact --script', "for a page on the relay's own site"],
      ['relay form html contact --base-url https://forms.example.com --script', 'for any other page'],
    ),
  )
  .action(async (name: string, _, command: Command) =>
    (await import('../print_form.ts')).printForm(name, command.optsWithGlobals()),
  );
