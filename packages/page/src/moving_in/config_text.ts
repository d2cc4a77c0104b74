import type { MovedForm } from './read_form.ts';
import type { Remark } from './remark.ts';
import { block, blockItem, comment, listItem, scalar } from './yaml_text.ts';

/** The config of one form, with what its owner should know where it belongs. `page` is what it was made from. */
export function configText(form: MovedForm, page: string, schemaName: string): string {
  const { id, language, title, submitLabel, redirect, fields, groups, honeypot, captcha, output, remarks } =
    form;
  const isTokenTaken = [honeypot, ...fields.map(({ name }) => name)].includes('_ts');
  const lines = [
    `# yaml-language-server: $schema=${schemaName}`,
    comment(`Made by relay init from ${page}. What is left for you to do is marked TODO.`, 0),
    '',
    'forms:',
    comment(`Pages send it to /api/v1/submit/${encodeURIComponent(id)}.`, 2),
    `  ${scalar(id)}:`,
    ...about(language.remarks, 4),
    ...block({ language: language.language, title, submit_label: submitLabel }, 4),
    comment('confirmation: Thank you, we will be in touch.', 4),
    ...about(redirect?.remarks ?? [], 4),
    ...(redirect
      ? block({ redirect: redirect.address }, 4).map((line) => (redirect.isKnown ? line : off(line, 4)))
      : []),
    '',
    '    fields:',
    ...fields.flatMap((field) => [...about(field.remarks, 6), ...listItem(field.keys, 6)]),
    ...about(remarks, 6),
    ...(groups.length > 0
      ? ['', '    groups:', ...groups.flatMap(({ legend, fields }) => listItem({ legend, fields }, 6))]
      : []),
    '',
    ...(honeypot === undefined
      ? [
          comment(
            'The page has no field that only bots fill in. relay form html prints one for this name:',
            4,
          ),
          comment('spam: {honeypot: website}', 4),
        ]
      : [
          '    spam:',
          comment('People do not see this field. What fills it in is dropped.', 6),
          ...block({ honeypot, token_field: isTokenTaken ? '_relay_ts' : undefined }, 6),
        ]),
    ...(captcha
      ? [
          '',
          ...about([captcha.remark], 4),
          ...['    captcha:', ...block(captcha.keys, 6)].map((line) =>
            captcha.isComplete ? line : off(line, 4),
          ),
        ]
      : []),
    '',
    '    outputs:',
    ...about(output.remarks, 6),
    ...blockItem(output.keys, 6),
  ];
  return `${lines.join('\n')}\n`;
}

const about = (remarks: readonly Remark[], indent: number): readonly string[] =>
  remarks.flatMap(({ kind, text }) =>
    wrapped(`${kind === 'to_do' ? 'TODO: ' : ''}${capital(text)}.`).map((line) => comment(line, indent)),
  );

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A line that stands there, to be used by removing its `# `. */
const off = (line: string, indent: number) => `${line.slice(0, indent)}# ${line.slice(indent)}`;

const widest = 100;

/** In lines of a readable length, broken at spaces. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= widest) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
