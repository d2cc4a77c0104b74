import { count, quoted } from '@form-relay/base/terminal';
import { type CommandContext, CommandFailed } from '@form-relay/core/command';
import { readPageFile } from '@form-relay/page/check/check_page';
import { groupBy } from '@form-relay/page/check/markup';
import { quote, quoteAll } from '@form-relay/page/check/page_form';
import { readImport } from '@form-relay/page/imports/read_import';
import { configText, type Remark } from '@form-relay/page/moving_in/config_text';
import type { MovedForm } from '@form-relay/page/moving_in/read_form';
import { printable } from '@form-relay/yaml/problem';
import { schemaName, writeConfig } from './write_config.ts';

/** Writes a config for existing forms, and lists the tasks that remain. */
export async function moveFormIn(
  file: string | undefined,
  context: CommandContext,
  name: string,
  form: string | undefined,
): Promise<void> {
  const { text } = await readPageFile(name, context);
  const moved = await readImport(text, form);
  if (!moved.ok) throw new CommandFailed(`${name}: ${printableLines(moved.error)}`);
  const forms = moved.value;
  const ids = forms.map(({ id }) => quoted(id));
  const fields = forms.flatMap(({ fields }) => fields.filter(({ name }) => name !== ''));
  const called = `the form${ids.length > 1 ? 's' : ''} ${ids.join(', ')} of ${name}`;
  const config = configText(forms, name, schemaName);
  await writeConfig(file, context, config, ({ config, relay }) => ({
    wrote: `Wrote ${config}: ${called}, with ${count(fields.length, 'field')}${forms.map(sentSoFar).join('')}.`,
    news: news(forms),
    next: [
      [`${relay} dev`, 'try the form; nothing is sent'],
      [`${relay} config validate`, 'check the config after each change'],
      // A page from a pipe cannot be read twice, and exports are not pages.
      [
        `${relay} check ${/^\/dev\/|\.(json|ya?ml)$/i.test(name) ? 'PAGE' : quoted(name)} --form ${ids[0]}`,
        'list what to change in the page',
      ],
    ],
  }));
}

function sentSoFar({ destination }: MovedForm): string {
  const taker = destination?.service ?? destination?.forwardTo?.host ?? destination?.recipients[0];
  return taker === undefined ? '' : `, sent to ${taker} so far`;
}

/** The owner's tasks, followed by notes on what was omitted. The config contains both as comments. */
function news(forms: readonly MovedForm[]): string {
  const all = forms.flatMap(({ language, remarks, fields, redirect, captcha, outputs }) => [
    ...language.remarks,
    ...(redirect?.remarks ?? []),
    ...ofFields(fields),
    ...remarks,
    ...(captcha ? [captcha.remark] : []),
    ...outputs.flatMap((output) => output.remarks),
  ]);
  const listed = (title: string, wanted: Remark['kind']) => {
    const own = all.filter(({ kind }) => kind === wanted);
    return own.length === 0
      ? ''
      : `\n${title}:\n${[...new Set(own.map(({ text }) => `  - ${printable(text)}\n`))].join('')}`;
  };
  return `${listed('Still to do, marked TODO in the config', 'to_do')}${listed('Left out, or changed', 'note')}`;
}

/** Prints a remark shared by several fields only once. In the config, each field has it. */
function ofFields(fields: MovedForm['fields']): readonly Remark[] {
  const all = fields.flatMap(({ name, keys, remarks }) =>
    remarks.map(({ kind, text }) => {
      const called = [keys.label, keys.note, name].map((one) => quote(String(one ?? '')));
      const subject = called.find((one) => one !== '""' && text.includes(one));
      return { kind, text, subject, form: subject ? text.replace(subject, () => mark) : text };
    }),
  );
  return [...groupBy(all, ({ kind, form }) => `${kind} ${form}`).values()].flatMap(
    (same): readonly Remark[] => {
      const [first] = same;
      const subjects = [...new Set(same.flatMap(({ subject }) => (subject ? subject.slice(1, -1) : [])))];
      if (!first || subjects.length < 2) return same;
      return [{ kind: first.kind, text: first.form.replace(mark, () => `each of ${quoteAll(subjects)}`) }];
    },
  );
}
/** A character that does not occur in remarks. */
const mark = '\0';

const printableLines = (text: string) => text.split('\n').map(printable).join('\n');
