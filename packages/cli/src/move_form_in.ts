import { configText } from '@form-relay/page/moving_in/config_text';
import { moveIn } from '@form-relay/page/moving_in/move_in';
import type { MovedForm } from '@form-relay/page/moving_in/read_form';
import type { Remark } from '@form-relay/page/moving_in/remark';
import { quoted } from '@form-relay/studio/samples';
import { printable } from '@form-relay/yaml/excerpt';
import { CommandFailed } from './command_failed.ts';
import { readPageFile } from './read_page.ts';
import { count } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';
import { schemaName, writeConfig } from './write_first_config.ts';

export interface MoveOptions extends GlobalOptions {
  /** A page with the form. */
  readonly from: string;
  /** Which one, where the page has several. */
  readonly form?: string;
}

/** Writes a config for a form that a page has, and says what the page does not. */
export async function moveFormIn(file: string | undefined, options: MoveOptions): Promise<void> {
  const { from: name } = options;
  const { text } = await readPageFile(name);
  const moved = await moveIn(text, options.form);
  if (!moved.ok) throw new CommandFailed(`${name}: ${printableLines(moved.error)}`);
  const form = moved.value;
  const config = configText(form, name, schemaName);
  await writeConfig(file, options, config, ({ config, relay }) => ({
    wrote: `Wrote ${config}: the form ${quoted(form.id)} of ${name}, with ${count(form.fields.length, 'field')}${sentSoFar(form)}.`,
    news: news(form),
    next: [
      [`${relay} dev`, 'try the form; nothing is sent'],
      [`${relay} config validate`, 'check the config after each change'],
      // A page that came through a pipe cannot be read again.
      [
        `${relay} check ${name.startsWith('/dev/') ? 'PAGE' : quoted(name)} --form ${quoted(form.id)}`,
        'what is left to change in the page',
      ],
    ],
  }));
}

function sentSoFar({ destination: { service, forwardTo, recipients } }: MovedForm): string {
  const taker = service ?? forwardTo?.host ?? recipients[0];
  return taker === undefined ? '' : `, sent to ${taker} so far`;
}

/** Tasks for the owner, then notes about omissions. The config contains both as comments. */
function news({ language, remarks, fields, redirect, captcha, output }: MovedForm): string {
  const all = [
    ...language.remarks,
    ...(redirect?.remarks ?? []),
    ...fields.flatMap((field) => field.remarks),
    ...remarks,
    ...(captcha ? [captcha.remark] : []),
    ...output.remarks,
  ];
  const listed = (title: string, wanted: Remark['kind']) => {
    const own = all.filter(({ kind }) => kind === wanted);
    return own.length === 0
      ? ''
      : `\n${title}:\n${own.map(({ text }) => `  - ${printable(text)}\n`).join('')}`;
  };
  return `${listed('For you to do, marked TODO in the config', 'to_do')}${listed('Left out, or said otherwise', 'note')}`;
}

const printableLines = (text: string) => text.split('\n').map(printable).join('\n');
