import { Command } from 'commander';
import { examples, languageTag } from '../usage.ts';

export const formMessages = new Command('messages')
  .argument('[language]', 'its tag, such as de or pt-BR', languageTag, 'en')
  .summary('print what forms say to visitors, as YAML')
  .description(
    'print all that the relay says to visitors in a language, as YAML, for `messages`: single texts, or all of them for a language of your own',
  )
  .addHelpText(
    'after',
    examples(
      ['relay form messages de', 'what German visitors read'],
      ['relay form messages > esperanto.yaml', 'what to translate for messages'],
    ),
  )
  .action(async (language: string) => {
    const { printMessages } = await import('../print_messages.ts');
    return printMessages(language);
  });
