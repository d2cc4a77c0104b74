import { html } from '../html.ts';
import type { Letter } from './letter.ts';
import { plainRuns } from './linked_template.ts';

export function letterText({ title, intro, entries, button, page, footer }: Letter): string {
  const parts = [
    title,
    plainRuns(intro),
    entries.map(({ label, values }) => `${label}: ${values.join(', ')}`).join('\n'),
    button ? `${button.words}:\n${button.href}` : '',
    page ? `${page.label}: ${page.url}` : '',
    plainRuns(footer),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

export const letterHtml = (letter: Letter): string =>
  html`<!DOCTYPE html><html><body><pre>${letterText(letter)}</pre></body></html>`
    .toString()
    .replaceAll(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);
