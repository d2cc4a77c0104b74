import type { Mail } from '../base/effects.ts';
import { type Html, type HtmlValue, html } from '../base/html.ts';
import { directionOf, hasLetter, isolates, rightToLeft, withIsolates } from '../base/unicode.ts';
import { labelled, withColon } from '../base/values.ts';
import { type FilledIn, isList, plain, plainLine, withoutControls } from './filled_in.ts';
import { type Link, plainRuns, type Run } from './linked_template.ts';

export interface RenderedMail extends Pick<Mail, 'text' | 'htmlStart'> {
  readonly html: string;
}

export function renderMail(body: MailBody): RenderedMail {
  const words = cleaned(body);
  const { html, htmlStart } = htmlPart(words);
  return { text: textPart(words), html, htmlStart };
}

/** The content of a mail, before it is text or HTML. Only `Link`s become links. */
export interface MailBody {
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly title: string;
  /** Above all else. */
  readonly intro: readonly Run[];
  readonly entries: readonly FilledIn[];
  readonly button?: { readonly words: string; readonly href: string } | undefined;
  /** The page on which the form was filled in, as the visitor's browser says: a link only where it is on the owner's site. */
  readonly page?: { readonly label: string; readonly url: string; readonly isLink: boolean } | undefined;
  /** Below all else. */
  readonly footer: readonly Run[];
}

/** Lines, each of words and links. */
export type Paragraph = readonly (readonly Run[])[];

/** A mail without anything that would mislead its reader. Both parts are made of it, so they say the same. */
export interface CleanBody extends Pick<MailBody, 'language' | 'direction' | 'button' | 'page'> {
  readonly title: string;
  readonly intro: readonly Paragraph[];
  /** Labels are lines, values are not empty. */
  readonly entries: readonly FilledIn[];
  readonly footer: readonly Paragraph[];
}

function cleaned({ language, direction, button, page, ...body }: MailBody): CleanBody {
  return {
    language,
    direction,
    title: plainLine(body.title),
    intro: paragraphsIn(body.intro),
    entries: body.entries.map(cleanEntry).filter(({ values }) => values.length > 0),
    button: button && { words: plainLine(button.words), href: button.href },
    page: page && { ...page, label: plainLine(page.label), url: plainLine(page.url) },
    footer: paragraphsIn(body.footer),
  };
}

/** Its values may all be gone. */
export const cleanEntry = ({ label, values, shape }: FilledIn): FilledIn => ({
  label: plainLine(label),
  shape,
  values: values.map(plain).filter(Boolean),
});

/** An empty line begins another paragraph. */
function paragraphsIn(runs: readonly Run[]): readonly Paragraph[] {
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

/**
 * A value of several lines stands below its label and is indented, so that no line of it looks like another field's, or
 * like the owner's words.
 */
function entryLines(entry: FilledIn): string {
  const { label, values, shape } = entry;
  if (isList(entry)) return [withColon(label), ...values.map((one) => indented(one, '  - '))].join('\n');
  return labelled(label, values[0] ?? '', shape && true);
}

const indented = (text: string, first: string) => first + text.replaceAll(/\n(?=.)/g, '\n    ');

/** As mail programs show it. It is ASCII, so that it travels as it is. */
function htmlPart(body: CleanBody): { readonly html: string; readonly htmlStart: string } {
  const { language, direction, title, intro, entries, button, page, footer } = body;
  const sides = looks[direction];
  const htmlStart = startOf(language, direction);
  const markup = html`${title && html`${titleStart}${wordsInHtml(title)}</h1>\n`}${paragraphs(introStart, intro)}${
    entries.length > 0 && html`${entriesStart}${entries.map((entry) => row(entry, sides))}</table>\n`
  }${button && buttonOf(button)}${page && pageOf(page)}${sheetEnd}${
    footer.length > 0 && html`${footerStart}${paragraphs(footerParagraph, footer)}</td></tr>\n`
  }${documentEnd}`;
  return { html: htmlStart + inAscii(markup.toString()), htmlStart };
}

let latest = { language: '', direction: '', start: '' };

/** Most mails in a row begin the same. */
function startOf(language: string, direction: CleanBody['direction']): string {
  if (latest.language !== language || latest.direction !== direction) {
    const markup = html`<!DOCTYPE html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
${looks[direction].head}<div role="article" aria-roledescription="email" lang="${language}" dir="${direction}">
${sheetStart}`;
    latest = { language, direction, start: inAscii(markup.toString()) };
  }
  return latest.start;
}

const row = (entry: FilledIn, sides: Sides): Html =>
  html`${sides.label}${entry.label}</th>\n${isList(entry) ? list(entry.values, sides) : cell(entry, sides)}</td></tr>\n`;

/** What has no letters stays where the mail's language begins, as a value of one line does. */
const cell = ({ values: [value = ''], shape }: FilledIn, sides: Sides) =>
  (shape || value.includes('\n')) && hasLetter(value)
    ? html`${longValue[directionOf(value, 'ltr')]}${lines(value)}`
    : html`${sides.value}${lines(value)}`;

const list = (values: readonly string[], sides: Sides) => html`${sides.list}${values.map(item)}</ul>`;

const item = (value: string) => html`<li><bdi>${lines(value)}</bdi></li>\n`;

const pageOf = ({ label, url, isLink }: NonNullable<CleanBody['page']>) =>
  html`${pageStart}${label}: <bdi>${isLink ? link(url, url) : wordsInHtml(url)}</bdi></p>\n`;

/** For programs that show no button, its address stands below. */
const buttonOf = ({ words: label, href }: { readonly words: string; readonly href: string }) =>
  html`${buttonStart}<a href="${href}" ${buttonStyle}>${label}</a></td></tr></table>
${addressStart}<bdi>${href}</bdi></p>
`;

const paragraphs = (start: Html, all: readonly Paragraph[]) =>
  all.map(
    (one) => html`${start}${one.map((line, index) => html`${index > 0 && lineEnd}${line.map(run)}`)}</p>\n`,
  );

const run = (one: Run) => (typeof one === 'string' ? wordsInHtml(one) : link(one.words, one.href));

const link = (label: string, href: string) => html`<a href="${href}" ${linkStyle}>${label}</a>`;

const lineEnd = html`<br>\n`;

function lines(text: string): HtmlValue {
  const lineInHtml = rightToLeft.test(text) ? isolatedInHtml : wordsInHtml;
  return text.includes('\n')
    ? text.split('\n').map((line, index) => [index > 0 && lineEnd, lineInHtml(line)])
    : lineInHtml(text);
}

const wordsInHtml = (line: string): HtmlValue => withAddresses(inLines(line));

const isolatedInHtml = (line: string): HtmlValue =>
  inLines(withIsolates(line))
    .split(isolates)
    .map((part) => tags[part as keyof typeof tags] ?? withAddresses(part));

const tags = { '\u2068': html`<bdi>`, '\u2069': html`</bdi>` };

/**
 * Puts what mail programs would take for the address of a page into an `<a>` that leads nowhere, so that they make no link of it.
 */
const withAddresses = (text: string): HtmlValue =>
  addressOfPage.test(text)
    ? text.split(/(\s+)/).map((part) => (isAddressOfPage(part) ? html`<a ${noLink}>${part}</a>` : part))
    : text;

/**
 * Spaces beside each other stay. In HTML, a line break is a space like any other. A mail whose lines have up to 998 bytes needs no
 * encoding, and a character has up to eight.
 */
function inLines(line: string): string {
  let done = '';
  let rest = line.includes('  ') ? line.replaceAll(/ (?= )/g, '\u00a0') : line;
  while (rest.length > mostInLine) {
    const before = rest.lastIndexOf(' ', mostInLine);
    const at = before > 0 ? before : rest.indexOf(' ', mostInLine);
    if (at < 0) break;
    done += `${rest.slice(0, at)}\n`;
    rest = rest.slice(at + 1);
  }
  return done + rest;
}

const mostInLine = 100;

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

/** As on the relay's own pages (pages/page_view.ts). */
const light = {
  text: '#1b1b1f',
  muted: '#55555f',
  back: '#f4f4f7',
  sheet: '#ffffff',
  edge: '#e3e3ea',
  accent: '#1d4ed8',
  onAccent: '#ffffff',
};
const dark = {
  text: '#ececf1',
  muted: '#b4b4c0',
  back: '#121215',
  sheet: '#1b1b20',
  edge: '#2e2e36',
  accent: '#93b8ff',
  onAccent: '#10131a',
};

/**
 * Styles that cannot be inline: dark mode, and labels beside their values where there is room. Word's engine, which shows
 * mails in Outlook, cannot do else than put labels beside values. No line begins with a dot, which SMTP would double.
 */
const styleHead = (paddingOfLabel: (y: string, gap: string) => string) => html`<style>
:root{color-scheme:light dark}
h1,.l{hyphens:auto}
@media (min-width:600px){
 .s{padding:32px 36px!important}
 .f{padding:16px 36px!important}
 .l,.v{display:table-cell!important;padding:12px 0!important;vertical-align:baseline}
 .l{width:30%;padding:${paddingOfLabel('12px', '16px')}!important}
 .v{border-top:1px solid ${light.edge}}
}
@media (prefers-color-scheme:dark){
 .b{background:${dark.back}!important}
 .s{background:${dark.sheet}!important}
 .s,.l,.v{border-color:${dark.edge}!important}
 .s,.v{color:${dark.text}!important}
 .l,.m{color:${dark.muted}!important}
 .a{color:${dark.accent}!important}
 .k{background:${dark.accent}!important}
 .k a{color:${dark.onAccent}!important}
}
</style>
<!--[if mso]><style>
*{font-family:Segoe UI,Arial,sans-serif!important}
 .l,.v{padding:9px 0!important;vertical-align:top}
 .l{width:160px;padding:${paddingOfLabel('9px', '12px')}!important}
 .v{border-top:1px solid ${light.edge};font-size:16px;line-height:24px}
</style><![endif]-->
</head>
<body class="b" style="margin:0;padding:0;background:${light.back}">
`;

const tableAttributes = html`role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"`;

/** Up to the first words. Word knows no greatest width, so it has a table of that width around. */
const sheetStart = html`<table class="b" ${tableAttributes} bgcolor="${light.back}" style="background:${light.back}"><tr><td align="center" style="padding:16px 8px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table ${tableAttributes} style="max-width:600px;table-layout:fixed;word-wrap:break-word;word-break:break-word;font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif"><tr><td class="s" bgcolor="${light.sheet}" style="padding:24px 20px;background:${light.sheet};border:1px solid ${light.edge};border-radius:12px;font-size:16px;line-height:24px;color:${light.text}">
`;

const sheetEnd = html`</td></tr>
`;

const footerStart = html`<tr><td class="f m" style="padding:16px 20px;font-size:13px;line-height:20px;color:${light.muted}">
`;

const documentEnd = html`</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</div>
</body>
</html>
`;

const titleStart = html`<h1 style="margin:0 0 16px;font-size:22px;line-height:28px;font-weight:700">`;
const introStart = html`<p style="margin:0 0 16px">`;
const footerParagraph = html`<p style="margin:0 0 8px">`;
const pageStart = html`<p class="m" style="margin:16px 0 0;font-size:13px;line-height:20px;color:${light.muted}">`;

const entriesStart = html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">
`;

const linkStyle = html`class="a" style="color:${light.accent}"`;

const noLink = html`style="color:inherit;text-decoration:none"`;

const buttonStart = html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 16px"><tr><td class="k" bgcolor="${light.accent}" style="background:${light.accent};border-radius:8px;mso-padding-alt:12px 24px">`;
const buttonStyle = html`style="display:inline-block;padding:12px 24px;font-weight:600;color:${light.onAccent};text-decoration:none"`;
const addressStart = html`<p class="m" style="margin:0;font-size:13px;line-height:20px;color:${light.muted};word-break:break-all">`;

/** A style for one side. Not every mail program knows `start` and `end`. */
interface Sides {
  readonly head: Html;
  readonly label: Html;
  /** A value of one line stays below its label, or beside it, in whatever direction it is read. */
  readonly value: Html;
  readonly list: Html;
}

const belowLabel = html`display:block;padding:0 0 14px`;

/** Each line is read in its own direction, but all begin where the first does. */
const longValue = {
  ltr: html`<td class="v" dir="auto" style="${belowLabel};text-align:left;unicode-bidi:plaintext">`,
  rtl: html`<td class="v" dir="auto" style="${belowLabel};text-align:right;unicode-bidi:plaintext">`,
};

const sides = (start: 'left' | 'right'): Sides => ({
  head: styleHead((y, gap) => (start === 'left' ? `${y} ${gap} ${y} 0` : `${y} 0 ${y} ${gap}`)),
  label: html`<tr><th class="l" scope="row" style="display:block;padding:14px 0 2px;border-top:1px solid ${light.edge};font-size:13px;line-height:20px;font-weight:600;color:${light.muted};text-align:${start}">`,
  value: html`<td class="v" dir="auto" style="${belowLabel};text-align:${start}">`,
  list: html`<td class="v" style="${belowLabel}"><ul style="margin:0;margin-${start}:20px;padding:0">`,
});

const looks = { ltr: sides('left'), rtl: sides('right') };
