import { type Finding, finding } from '../base/config_finding.ts';
import type { Mail } from '../base/effects.ts';
import type { Job, Payload } from '../base/job.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { flag } from '../schema/kinds.ts';
import type { Scope } from '../schema/template/render.ts';
import { filledIn } from './filled_in.ts';
import type { Letter } from './letter.ts';
import type { InBoth } from './letter_in_both.ts';
import { withLinesOfFields } from './lines_of_fields.ts';
import { type LinkedTemplate, linkedTemplate, plainRuns, renderRuns } from './linked_template.ts';
import type { CommonOutput, FormAbout, LateKey } from './output.ts';
import { readable } from './plain_text.ts';

/** What a mail says. */
export const wordsKeys = {
  text: optional(
    'What the mail says, as a template of one or several lines, instead of a line `key=value` for each value. It may hold links: `[words](https://…)`.',
    linkedTemplate(),
  ),
  html: withDefault(
    'false',
    'Sends the mail as HTML, with the same as text beside it: the form’s title, and each field’s label and value in the form’s order, or else `text`.',
    flag(),
  ),
  intro: optional('What stands above the fields of an HTML mail. As `text`.', linkedTemplate()),
  footer: optional('What stands below them. As `text`.', linkedTemplate()),
};

export interface Wording {
  readonly text?: LinkedTemplate | undefined;
  readonly html: boolean;
  readonly intro?: LinkedTemplate | undefined;
  readonly footer?: LinkedTemplate | undefined;
}

interface Configured extends Wording, Pick<CommonOutput, 'mapping' | 'static'> {
  readonly form: FormAbout;
}

type InHtml = typeof import('./letter_in_both.ts');
let inHtml: InHtml | undefined;

/** Most relays start without what writes HTML mails. */
export const lateHtml: LateKey = {
  name: 'html',
  load: async () => {
    inHtml = await import('./letter_in_both.ts');
  },
};

/** `intro` and `footer` have no place in lines of `key=value`. */
export const wordsProblems = ({ html, intro, footer }: Partial<Wording>): readonly Finding[] =>
  html !== false
    ? []
    : Object.entries({ intro, footer })
        .filter(([, words]) => words !== undefined)
        .map(([key]) => ({ ...finding('mail_words_without_html', [key], { key }), aboutKey: true }));

export function wordsOf(
  output: Configured,
  job: Job,
  scope: Scope,
): Pick<Mail, 'text' | 'html' | 'htmlStart'> {
  const { text, html, intro, footer, form } = output;
  const seen = text || intro || footer ? withLinesOfFields(scope, form.fields) : scope;
  if (!html)
    return { text: text ? ended(readable(plainRuns(renderRuns(text, seen)))) : keyValueLines(job.payload) };
  const letter: Letter = {
    language: form.language,
    direction: form.direction,
    title: form.title ?? form.id,
    intro: [
      ...(intro ? renderRuns(intro, seen) : []),
      ...(intro && text ? ['\n\n'] : []),
      ...(text ? renderRuns(text, seen) : []),
    ],
    entries: text ? [] : filledIn(output, job, scope),
    page: job.page && { label: form.pageLabel, url: job.page.url, isLink: job.page.isOnOwnSite },
    footer: footer ? renderRuns(footer, seen) : [],
  };
  return inBoth(letter);
}

/** The letter as text and as HTML. */
export function inBoth(letter: Letter): InBoth {
  if (!inHtml) throw new Error('the HTML of mails is not loaded');
  return inHtml.letterInBoth(letter);
}

const ended = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/**
 * One `key=value` line per value, sorted by key (SPEC: Multi-value serialization). Further lines of a value are
 * indented by a tab, so that no visitor can write a line that looks like another field's.
 */
function keyValueLines(payload: Payload): string {
  let text = '';
  for (const [key, values] of payload) {
    for (const value of values) text += `${key}=${value.replaceAll(lineBreak, '\n\t')}\n`;
  }
  return text;
}

const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
