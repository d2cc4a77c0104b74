import { attributes, type Html, html } from '@form-relay/relay/base';
import { copy } from './icons.ts';

/** An HTTP request or a mail as it goes over the wire, with what to look for made easy to find. */
export function bytesView(bytes: string): Html {
  const [, head = bytes, blank = '', body = ''] = /^(.*?)(\r?\n\r?\n)(.*)$/s.exec(bytes) ?? [];
  const isPairs = /^content-type: application\/x-www-form-urlencoded/im.test(head);
  return copyable(html`${head.split(/(?<=\n)/).map(headLine)}${blank}${isPairs ? pairs(body) : body}`);
}

/** Lines break between pairs, where they have to. */
const pairs = (body: string): readonly Html[] =>
  body.split(/(?<=&)/).map((pair) => {
    const [, name = '', rest = ''] = /^([^=]*)(.*)$/s.exec(pair) ?? [];
    return html`<span class="name">${name}</span>${rest}<wbr>`;
  });

function headLine(line: string): Html {
  const [, method = '', target = '', version = ''] = /^([A-Z]+) (\S+)( HTTP\/[\d.]+\r?\n?)$/.exec(line) ?? [];
  if (method !== '') return html`<b>${method}</b> <span class="target">${target}</span><i>${version}</i>`;
  const [, name = '', value = ''] = /^([\w-]+:)(.*)$/s.exec(line) ?? [];
  return name === '' ? html`${line}` : html`<span class="name">${name}</span>${value}`;
}

/** Long texts scroll in a box of their own; those that are but a little long would scroll by a few pixels. */
export const scrolls = (text: Html | string): string | false => String(text).length > 4_000 && 'long';

/** Text to take along. The focus makes what scrolls reachable by keyboard. */
export const copyable = (text: Html | string): Html =>
  html`<div class="copyable"><pre tabindex="0"${attributes({ class: scrolls(text) })}>${text}</pre><button type="button" class="tool" data-copy>${copy}<span>Copy</span></button></div>`;

/** An address that breaks after a slash rather than within a word. */
export const address = (text: string): readonly Html[] =>
  text.split(/(?<=[^:/]\/|@)/).map((part) => html`${part}<wbr>`);
