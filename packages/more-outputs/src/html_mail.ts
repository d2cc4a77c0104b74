import { html } from '@form-relay/base/html';
import {
  directionOf,
  hasLetter,
  isolates,
  labelled,
  rightToLeft,
  withColon,
  withIsolates,
} from '@form-relay/base/unicode';
import type { Html, HtmlValue, Mail } from '@form-relay/core/index';
import { type FilledIn, isList, plain, plainLine, withoutControls } from './filled_in.ts';
import { documentEnd, type Look, noLink, type Styles, sheetEnd, stylesFor } from './html_styles.ts';
import { plainRuns, type Run } from './templates.ts';

export function renderMail(body: MailBody): Pick<Mail, 'text'> & { readonly html: string } {
  const words = cleaned(body);
  return { text: textPart(words), html: htmlPart(words) };
}

/** The content of a mail, before it is formatted as text or HTML. */
export interface MailBody {
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly title: string;
  readonly intro: readonly Run[];
  readonly entries: readonly FilledIn[];
  readonly button?: { readonly words: string; readonly href: string } | undefined;
  /** The page with the form, as the visitor's browser reports it. A link only if the page is on the owner's site. */
  readonly page?: { readonly label: string; readonly url: string; readonly isLink: boolean } | undefined;
  readonly footer: readonly Run[];
  /** The form's design. */
  readonly look?: Look | undefined;
}

/** Lines, each of words and links. */
type Paragraph = readonly (readonly Run[])[];

/** Removes everything from a mail that could mislead its reader. Both parts are made from the result, so they say the same. */
const cleaned = ({ language, direction, title, intro, entries, button, page, footer, look }: MailBody) => ({
  look,
  language,
  direction,
  title: plainLine(title),
  intro: paragraphsIn(intro),
  entries: cleanEntries(entries),
  button: button && { words: plainLine(button.words), href: button.href },
  page: page && { ...page, label: plainLine(page.label), url: plainLine(page.url) },
  footer: paragraphsIn(footer),
});

type CleanBody = ReturnType<typeof cleaned>;

/** Reduces labels to plain lines and drops empty values. */
export const cleanEntries = (entries: readonly FilledIn[]): readonly FilledIn[] =>
  entries
    .map(({ label, values, ...entry }) => ({
      ...entry,
      label: plainLine(label),
      values: values.map(plain).filter(Boolean),
    }))
    .filter(({ values }) => values.length > 0);

/** An empty line starts a new paragraph. */
function paragraphsIn(runs: readonly Run[]): readonly Paragraph[] {
  const lines: Run[][] = [[]];
  for (const run of runs) {
    if (typeof run !== 'string') {
      lines.at(-1)?.push(run);
      continue;
    }
    const [first = '', ...others] = withoutControls(run).split('\n');
    lines.at(-1)?.push(first);
    lines.push(...others.map((part) => [part]));
  }
  const all: Run[][][] = [[]];
  for (const line of lines) {
    const isEmpty = line.every((run) => typeof run === 'string' && run.trim() === '');
    if (isEmpty) all.push([]);
    else all.at(-1)?.push(line);
  }
  return all.filter(({ length }) => length > 0);
}

function textPart({ title, intro, entries, button, page, footer }: CleanBody): string {
  const parts = [
    title,
    ...intro.map(inText),
    entries.map(entryLines).join('\n'),
    button ? `${button.words}:\n${button.href}` : '',
    page ? `${page.label}: ${page.url}` : '',
    ...footer.map(inText),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const inText = (paragraph: Paragraph) => paragraph.map(plainRuns).join('\n');

/** Indents a value of several lines, so that none looks like another field or the owner's words. */
function entryLines(entry: FilledIn): string {
  const { label, values, shape } = entry;
  if (isList(entry)) return [withColon(label), ...values.map((one) => indented(one, '  - '))].join('\n');
  return labelled(label, values[0] ?? '', shape && true);
}

const indented = (text: string, first: string) => first + text.replaceAll(/\n(?=.)/g, '\n    ');

/** Renders the HTML part. The markup is ASCII, so no transfer encoding changes it. */
function htmlPart(body: CleanBody): string {
  const { language, direction, title, intro, entries, button, page, footer } = body;
  const styles = stylesFor(body.look, direction);
  const { sheetStart, titleStart, introStart, entriesStart, footerStart, footerParagraph } = styles;
  const markup = html`<!DOCTYPE html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
${styles.head}<div role="article" aria-roledescription="email" lang="${language}" dir="${direction}">
${sheetStart}${styles.logo}${title && html`${titleStart}${wordsInHtml(title)}</h1>\n`}${paragraphs(introStart, intro, styles)}${
  entries.length > 0 && html`${entriesStart}${entries.map((entry) => row(entry, styles))}</table>\n`
}${button && buttonOf(button, styles)}${page && pageOf(page, styles)}${sheetEnd}${
  footer.length > 0 && html`${footerStart}${paragraphs(footerParagraph, footer, styles)}</td></tr>\n`
}${documentEnd}`;
  return inAscii(markup.toString());
}

const row = (entry: FilledIn, styles: Styles): Html =>
  html`${styles.label}${entry.label}</th>\n${isList(entry) ? list(entry.values, styles) : cell(entry, styles)}</td></tr>\n`;

/** A value without letters is aligned with the mail's language, as a value of one line is. */
const cell = ({ values: [value = ''], shape }: FilledIn, styles: Styles) =>
  (shape || value.includes('\n')) && hasLetter(value)
    ? html`${styles.longValue[directionOf(value, 'ltr')]}${lines(value)}`
    : html`${styles.value}${lines(value)}`;

const list = (values: readonly string[], styles: Styles) => html`${styles.list}${values.map(item)}</ul>`;

const item = (value: string) => html`<li><bdi>${lines(value)}</bdi></li>\n`;

const pageOf = ({ label, url, isLink }: NonNullable<CleanBody['page']>, styles: Styles) =>
  html`${styles.pageStart}${label}: <bdi>${isLink ? link(url, styles) : wordsInHtml(url)}</bdi></p>\n`;

/** The button's URL follows, for mail programs that show no button. */
const buttonOf = (
  { words: label, href }: { readonly words: string; readonly href: string },
  styles: Styles,
) =>
  html`${styles.buttonStart}<a href="${href}" ${styles.buttonStyle}>${label}</a></td></tr></table>
${styles.addressStart}<bdi>${href}</bdi></p>
`;

const paragraphs = (start: Html, all: readonly Paragraph[], styles: Styles) =>
  all.map(
    (one) =>
      html`${start}${one.map((line, index) => html`${index > 0 && lineEnd}${line.map((one) => run(one, styles))}`)}</p>\n`,
  );

const run = (one: Run, styles: Styles) =>
  typeof one === 'string' ? wordsInHtml(one) : link(one.href, styles);

const link = (href: string, styles: Styles) => html`<a href="${href}" ${styles.linkStyle}>${href}</a>`;

const lineEnd = html`<br>\n`;

function lines(text: string): HtmlValue {
  const lineInHtml = rightToLeft.test(text) ? isolatedInHtml : wordsInHtml;
  return text.includes('\n')
    ? text.split('\n').map((line, index) => [index > 0 && lineEnd, lineInHtml(line)])
    : lineInHtml(text);
}

const wordsInHtml = (line: string): HtmlValue => withAddresses(spaced(line));

const isolatedInHtml = (line: string): HtmlValue =>
  spaced(withIsolates(line))
    .split(isolates)
    .map((part) => tags[part as keyof typeof tags] ?? withAddresses(part));

const tags = { '\u2068': html`<bdi>`, '\u2069': html`</bdi>` };

/** Wraps what looks like a web address in an `<a>` that leads nowhere, so that mail programs do not turn it into a link. */
const withAddresses = (text: string): HtmlValue =>
  addressOfPage.test(text)
    ? text.split(/(\s+)/).map((part) => (isAddressOfPage(part) ? html`<a ${noLink}>${part}</a>` : part))
    : text;

/** Keeps repeated spaces. */
const spaced = (line: string) => line.replaceAll(/ (?= )/g, '\u00a0');

const addressOfPage = /:\/\/|[^\s.]\.[a-z\u0080-\uffff]{2}/i;

const isAddressOfPage = (word: string) => addressOfPage.test(word) && !addressOfMail.test(word);

/**
 * Mail addresses may become links, because owners reply to them. The pattern must not match what could be the
 * end of a web address.
 */
const addressOfMail =
  /^[<(["]*(?:mailto:)?[\w.!$%&'*+=^`{|}~\u00a1-\uffff-]+@[\w.\u00a1-\uffff-]*[\w\u00a1-\uffff][>)\]}"'.,;:!?]*$/i;

/** Tests before it replaces, because `replaceAll` allocates even if nothing matches. */
const inAscii = (markup: string) =>
  /[^\0-\x7f]/.test(markup)
    ? markup.replaceAll(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`)
    : markup;
