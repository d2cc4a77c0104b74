/** A submission as people read it in a chat: plain text in which visitors cannot forge lines, cut to the service's limit. */

import { labelled, withColon } from '@form-relay/base/unicode';
import type { Common, Delivery, OutputForm, Services, Template } from '@form-relay/core/index';
import { type FilledIn, filledIn, plain, plainLine } from './filled_in.ts';

/** The text is not escaped, because each service has its own markup. */
export interface ReadableMessage {
  readonly title: string;
  /** Whether visitors can influence the title. */
  readonly isTitleSubmitted: boolean;
  readonly rows: readonly ReadableRow[];
  /** Lines at the end: how many rows are omitted, and the page with the form. */
  readonly notes: readonly string[];
}

export interface ReadableRow {
  /** A single line. */
  readonly label: string;
  /** The label with a colon, unless it ends with punctuation. */
  readonly heading: string;
  readonly value: string;
  /** Whether the value is shown below its label, because it has several lines. */
  readonly isBlock: boolean;
  /** Label and value as one text: `Name: Ada`, or the label followed by indented lines. */
  readonly line: string;
}

export interface MessageOptions<T> {
  /** The first line. Default: the form's title, or else its id. */
  readonly title?: Template | undefined;
  /** Maximum length of the title and of labels. Default: 250. */
  readonly titleMost?: number;
  /** Whether the service accepts what `write` returned. Default: yes. */
  readonly fits?: (written: T) => boolean;
}

/** A value cut shorter than this is useless. */
const leastKept = 40;
const noteMost = 300;

/** Formats the submission with `write`, shortening it until it fits. */
export function writeMessage<T>(
  write: (message: ReadableMessage) => T,
  { title, titleMost = 250, fits = () => true }: MessageOptions<T>,
  output: Pick<Common, 'mapping' | 'static'>,
  form: OutputForm,
  delivery: Delivery,
  { show }: Pick<Services, 'show'>,
): T {
  const { translate } = form.locale;
  const { templateContext, titlePrefix } = delivery;
  const { page } = templateContext;
  const own = plainLine(title?.render(templateContext) ?? '') || plainLine(form.title ?? '') || form.id;
  const rows = filledIn(output, form, delivery)
    .map((one) => rowOf(cut(plainLine(one.label), titleMost), plain(inOneText(one)), one.shape && true))
    .filter(({ value }) => value !== '');
  const notes = page ? [cut(plainLine(page.url), noteMost)] : [];
  const whole: ReadableMessage = {
    title: cut(titlePrefix ? `${titlePrefix} ${own}` : own, titleMost),
    isTitleSubmitted: title?.isSubmitted ?? false,
    rows,
    notes,
  };
  show?.({ content: { title: whole.title, entries: rows, footer: notes } });
  const written = write(whole);
  if (fits(written)) return written;
  const mark = ` ${translate({ code: 'message_cut' })}`;
  const shortened = (count: number, most: number): T => {
    const missing = rows.length - count;
    const leftOut = missing > 0 ? [translate({ code: 'message_left_out', params: { count: missing } })] : [];
    const some = rows
      .slice(0, count)
      .map(({ label, value, isBlock }) => rowOf(label, cut(value, most, mark), isBlock));
    return write({ ...whole, rows: some, notes: [...leftOut, ...notes] });
  };
  const count = largest(rows.length, (some) => fits(shortened(some, leastKept)));
  const longest = rows.reduce((most, { value }) => Math.max(most, value.length), leastKept);
  const most = largest(longest, (some) => some <= leastKept || fits(shortened(count, some)));
  return shortened(count, most);
}

const rowOf = (label: string, value: string, isBlock = value.includes('\n')): ReadableRow => ({
  label,
  heading: withColon(label),
  value,
  isBlock,
  line: labelled(label, value, isBlock),
});

function inOneText({ values, shape }: FilledIn): string {
  const isLong = values.length > 1 && values.some((one) => /[,\r\n]/.test(one));
  return shape === 'list' || isLong ? values.map((one) => `- ${one}`).join('\n') : values.join(', ');
}

/** The largest number up to `most` for which `isFine` holds. The test must hold for all smaller numbers. */
function largest(most: number, isFine: (count: number) => boolean): number {
  let fine = 0;
  let wrong = most + 1;
  while (wrong - fine > 1) {
    const middle = Math.floor((fine + wrong) / 2);
    if (isFine(middle)) fine = middle;
    else wrong = middle;
  }
  return fine;
}

/** The text, or its beginning followed by `…`, cut at a grapheme boundary. */
function cut(text: string, most: number, mark = ''): string {
  if (text.length <= most) return text;
  const end = new Intl.Segmenter('en').segment(text).containing(Math.max(0, most - 1))?.index;
  return `${text.slice(0, end).trimEnd()}…${mark}`;
}
