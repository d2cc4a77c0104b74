import type { FilledIn } from './filled_in.ts';
import type { LetterWords, Paragraph } from './letter_words.ts';
import { plainRuns } from './linked_template.ts';

/** The letter for programs that show no HTML, and for those who rather read text. */
export function letterText({ title, intro, entries, button, page, footer }: LetterWords): string {
  const parts = [
    title,
    ...intro.map(inText),
    entries.map(lines).join('\n'),
    button ? `${button.words}:\n${button.href}` : '',
    page ? `${page.label}: ${page.url}` : '',
    ...footer.map(inText),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const inText = (paragraph: Paragraph) => paragraph.map(plainRuns).join('\n');

/**
 * What has several lines stands below its label and is indented, so that no line of it looks like another field's, or
 * like the owner's words.
 */
function lines({ label, values }: FilledIn): string {
  const [value = '', ...others] = values;
  // Many labels are questions.
  const before = /[:?？؟：]$/.test(label) ? label : `${label}:`;
  if (others.length > 0) return [before, ...values.map((one) => indented(one, '  - '))].join('\n');
  return value.includes('\n') ? `${before}\n${indented(value, '    ')}` : `${before} ${value}`;
}

const indented = (text: string, first: string) => first + text.replaceAll(/\n(?=.)/g, '\n    ');
