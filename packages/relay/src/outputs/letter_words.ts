import type { FilledIn } from './filled_in.ts';
import type { Letter } from './letter.ts';
import type { Link, Run } from './linked_template.ts';
import { plain, plainLine, withoutControls } from './plain_text.ts';

/** Lines, each of words and links. */
export type Paragraph = readonly (readonly Run[])[];

/** A letter without anything that would mislead its reader. Of it, both parts of a mail are made, so they say the same. */
export interface LetterWords extends Pick<Letter, 'language' | 'direction' | 'button' | 'page'> {
  /** One line; empty when there is none. */
  readonly title: string;
  readonly intro: readonly Paragraph[];
  /** Labels are lines, values are not empty. */
  readonly entries: readonly FilledIn[];
  readonly footer: readonly Paragraph[];
}

export function wordsOfLetter({ language, direction, button, page, ...letter }: Letter): LetterWords {
  return {
    language,
    direction,
    title: plainLine(letter.title),
    intro: paragraphs(letter.intro),
    entries: letter.entries
      .map(({ label, values }) => ({ label: plainLine(label), values: values.map(plain).filter(Boolean) }))
      .filter(({ values }) => values.length > 0),
    button: button && { words: plainLine(button.words), href: button.href },
    page: page && { ...page, label: plainLine(page.label), url: plainLine(page.url) },
    footer: paragraphs(letter.footer),
  };
}

/** An empty line begins another paragraph. */
function paragraphs(runs: readonly Run[]): readonly Paragraph[] {
  const all: Paragraph[] = [];
  let paragraph: Run[][] = [];
  let line: Run[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) all.push(paragraph);
    paragraph = [];
  };
  const endLine = () => {
    if (line.every((run) => typeof run === 'string' && run.trim() === '')) endParagraph();
    else paragraph.push(line);
    line = [];
  };
  for (const run of runs) {
    if (typeof run !== 'string') {
      line.push(cleanLink(run));
      continue;
    }
    for (const [index, part] of withoutControls(run).split('\n').entries()) {
      if (index > 0) endLine();
      line.push(part);
    }
  }
  endLine();
  endParagraph();
  return all;
}

const cleanLink = ({ words, href }: Link): Link => ({ words: plainLine(words), href });
