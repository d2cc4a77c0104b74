import { type Html, type HtmlValue, html } from '../base/html.ts';
import type { FilledIn } from './filled_in.ts';
import * as look from './letter_look.ts';
import type { LetterWords, Paragraph } from './letter_words.ts';
import type { Run } from './linked_template.ts';

/** The letter as mail programs show it (D90). It is ASCII, so that it travels as it is. */
export function letterHtml(letter: LetterWords): { readonly html: string; readonly htmlStart: string } {
  const { language, direction, title, intro, entries, button, page, footer } = letter;
  const sides = look.looks[direction];
  const htmlStart = startOf(language, direction);
  const markup = html`${title && html`${look.titleStart}${words(title)}</h1>\n`}${paragraphs(look.introStart, intro)}${
    entries.length > 0 && html`${look.entriesStart}${entries.map((entry) => row(entry, sides))}</table>\n`
  }${button && buttonOf(button)}${page && pageOf(page)}${look.sheetEnd}${
    footer.length > 0 && html`${look.footerStart}${paragraphs(look.footerParagraph, footer)}</td></tr>\n`
  }${look.end}`;
  return { html: htmlStart + inAscii(markup.toString()), htmlStart };
}

let latest = { language: '', direction: '', start: '' };

/** Most letters in a row begin the same. */
function startOf(language: string, direction: LetterWords['direction']): string {
  if (latest.language !== language || latest.direction !== direction) {
    const markup = html`<!DOCTYPE html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
${look.looks[direction].head}<div role="article" aria-roledescription="email" lang="${language}" dir="${direction}">
${look.sheetStart}`;
    latest = { language, direction, start: inAscii(markup.toString()) };
  }
  return latest.start;
}

const row = ({ label, values }: FilledIn, sides: look.Sides): Html =>
  html`${sides.label}${label}</th>\n${values.length > 1 ? list(values, sides) : cell(values[0] ?? '', sides)}</td></tr>\n`;

const cell = (value: string, sides: look.Sides) =>
  html`${value.includes('\n') ? sides.longValue : sides.value}${lines(value)}`;

const list = (values: readonly string[], sides: look.Sides) => html`${sides.list}${values.map(item)}</ul>`;

const item = (value: string) => html`<li><bdi>${lines(value)}</bdi></li>\n`;

const pageOf = ({ label, url, isLink }: NonNullable<LetterWords['page']>) =>
  html`${look.pageStart}${label}: <bdi>${isLink ? link(url, url) : words(url)}</bdi></p>\n`;

/** For programs that show no button, its address stands below. */
const buttonOf = ({ words: label, href }: { readonly words: string; readonly href: string }) =>
  html`${look.buttonStart}<a href="${href}" ${look.buttonStyle}>${label}</a></td></tr></table>
${look.addressStart}<bdi>${href}</bdi></p>
`;

const paragraphs = (start: Html, all: readonly Paragraph[]) =>
  all.map(
    (one) => html`${start}${one.map((line, index) => html`${index > 0 && lineEnd}${line.map(run)}`)}</p>\n`,
  );

const run = (one: Run) => (typeof one === 'string' ? words(one) : link(one.words, one.href));

const link = (label: string, href: string) => html`<a href="${href}" ${look.linkStyle}>${label}</a>`;

const lineEnd = html`<br>\n`;

const lines = (text: string): HtmlValue =>
  text.includes('\n')
    ? text.split('\n').map((line, index) => [index > 0 && lineEnd, words(line)])
    : words(text);

/**
 * Words of one line. Spaces beside each other stay. What mail programs would take for the address of a page stands in
 * an `<a>` that leads nowhere, which keeps them from making a link of it.
 */
function words(line: string): HtmlValue {
  let text = line;
  if (text.includes('  ')) text = text.replaceAll(/ (?= )/g, '\u00a0');
  if (text.length > mostInLine) text = inLines(text);
  if (!addressOfPage.test(text)) return text;
  return text
    .split(/(\s+)/)
    .map((part) => (isAddressOfPage(part) ? html`<a ${look.noLink}>${part}</a>` : part));
}

/** In HTML, a line break is a space like any other. A line of a mail has up to 998 bytes, and a character up to nine. */
const mostInLine = 100;

function inLines(text: string): string {
  let done = '';
  let rest = text;
  while (rest.length > mostInLine) {
    const before = rest.lastIndexOf(' ', mostInLine);
    const at = before > 0 ? before : rest.indexOf(' ', mostInLine);
    if (at < 0) break;
    done += `${rest.slice(0, at)}\n`;
    rest = rest.slice(at + 1);
  }
  return done + rest;
}

const addressOfPage = /:\/\/|[^\s.]\.[a-z\u0080-\uffff]{2}/i;

const isAddressOfPage = (word: string) => addressOfPage.test(word) && !addressOfMail.test(word);

/** To answer an address of mail is what the mail is for. Nothing in it would be taken for the end of a page's address. */
const addressOfMail =
  /^[<(["]*(?:mailto:)?[\w.!$%&'*+=^`{|}~\u00a1-\uffff-]+@[\w.\u00a1-\uffff-]*[\w\u00a1-\uffff][>)\]}"'.,;:!?]*$/i;

/** Looks before it replaces: V8 sets up lists for what it may replace. */
const inAscii = (markup: string) =>
  /[^\0-\x7f]/.test(markup) ? markup.replaceAll(/[^\0-\x7f]+/g, references) : markup;

function references(text: string): string {
  let all = '';
  for (const character of text) all += `&#${character.codePointAt(0)};`;
  return all;
}
