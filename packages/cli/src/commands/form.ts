import { Command, languageTag, relayAddress } from '../usage.ts';

const formList = new Command('list')
  .description('print all form names, one per line, sorted')
  .examples(['relay form list', 'such as contact'])
  .runs(async ({ config }) => {
    const { forms } = await (await import('../load_config.ts')).loadConfig(config);
    for (const name of [...forms.keys()].sort()) process.stdout.write(`${name}\n`);
  });

export const formHtml = new Command('html')
  .argument('<name>', 'the name of the form')
  .summary('print the HTML of a form')
  .description('print the HTML <form> element of a form, to paste into any page')
  .option('--base-url <url>', "the relay's address, for a page of another origin", relayAddress)
  .option('--script', 'print what loads the script, too; once a page is enough')
  .option('--no-style', "leave out the link to the relay's stylesheet (with --tag and --script)")
  .option('--tag', 'print the tag that loads the form, and the script')
  .option('--lang <language>', 'of a form in several languages, another than the first', languageTag)
  .examples(
    ['relay form html contact --tag', 'a few lines: the form appears in their place'],
    ['relay form html contact --script', "for a page on the relay's own site"],
    ['relay form html contact --base-url https://forms.example.com --script', 'for any other page'],
  )
  .runs(async (options, name: string) => (await import('../print_form.ts')).printForm(name, options));

const formMessages = new Command('messages')
  .argument('[language]', 'its tag, such as de or pt-BR', languageTag, 'en')
  .summary('print what forms say to visitors, as YAML')
  .description(
    'print all that the relay says to visitors in a language, as YAML, for `messages`: single texts, or all of them for a language of your own',
  )
  .examples(
    ['relay form messages de', 'what German visitors read'],
    ['relay form messages > esperanto.yaml', 'what to translate for messages'],
  )
  .runs(async (_, language: string) => (await import('../print_messages.ts')).printMessages(language));

const formCss = new Command('css')
  .summary('print a stylesheet for forms')
  .description('print the stylesheet of forms, as /api/v1/form.css has it, to serve it with your own pages')
  .examples(['relay form css > form-relay.css', 'to put it among your own stylesheets'])
  .action(async () => {
    const { formStyle } = await import('@form-relay/element/built/style');
    process.stdout.write(formStyle.toString().trimStart());
  });

export const form = new Command('form')
  .description('look at the forms of the config')
  .addCommands(formList, formHtml, formMessages, formCss);
