import { type Template, templates } from '@form-relay/studio/templates';
import { leftToDo, variablesToSet } from './left_to_do.ts';
import type { GlobalOptions } from './usage.ts';
import { writeConfig } from './write_first_config.ts';

/** Writes a whole form to start from, as the studio offers it. */
export async function writeTemplate(
  file: string | undefined,
  options: GlobalOptions,
  name: string,
): Promise<void> {
  // The command knows no other names.
  const { title, config: text } = templates.find((one) => one.name === name) as Template;
  const examples = new Set(text.match(/[\w.@-]+@example\.com|(?<![@/])\b[\w-]+\.example\.com/g));
  const [, folder] = /^ {2}in: (\S+)$/m.exec(text) ?? [];
  await writeConfig(file, options, text, ({ config, relay }) => ({
    wrote: `Wrote ${config} from the template ${name}: ${title.toLowerCase()}.`,
    news: leftToDo([
      `in ${config}, change the words and fields to yours, and replace what is an example:\n    ${[...examples].join(', ')}`,
      ...variablesToSet(text),
      ...(folder === undefined
        ? []
        : [`create the folder ${folder}, where mails wait if the server is down`]),
    ]),
    next: [
      [`${relay} dev`, 'try and change the form; nothing is sent'],
      [`${relay} doctor`, 'is everything set, and does the mail server answer?'],
    ],
  }));
}
