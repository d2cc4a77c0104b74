/** `markdown_notes`: notes with headings, lists and emphasis. */

import { html, withLinks } from '@form-relay/base/html';
import { heading } from '@form-relay/core/html/form_view';
import type { HtmlValue, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { boolean } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';

/** A heading, the items of a list, or the lines of a paragraph. */
const block = /^## +(.+)|(?:^[-*] .+\n?)+|(?:^\d+\. .+\n?)+|(?:^(?!## |[-*] |\d+\. ).+\n?)+/gm;

const emphasis = /(?<![\w\\*])(\*\*?)(?=[^\s*])([^*]+)(?<=\S)\1(?![\w*])/;

const inline = (text: string): HtmlValue =>
  text.split(emphasis).map((part, index, all) => {
    // Between texts, the split returns the stars and the text between them.
    if (index % 3 === 1) return undefined;
    const words = withLinks(part.replaceAll('\\*', '*'));
    if (index % 3 === 0) return words;
    return all[index - 1] === '*' ? html`<em>${words}</em>` : html`<strong>${words}</strong>`;
  });

function blocks(text: string, level: 2 | 3): HtmlValue {
  const trimmed = text.replaceAll(/^[ \t]+|[ \t]+$/gm, '');
  return [...trimmed.matchAll(block)].map(([all, title]) => {
    if (title !== undefined) return html`${heading(level, 'field-note-title', inline(title))}\n`;
    if (!/^([-*]|\d+\.) /.test(all)) return html`<p>${inline(all.trim())}</p>\n`;
    const items = all.trim().split('\n');
    const listed = items.map((item) => html`<li>${inline(item.slice(item.indexOf(' ') + 1))}</li>\n`);
    return /^\d/.test(all) ? html`<ol>\n${listed}</ol>\n` : html`<ul>\n${listed}</ul>\n`;
  });
}

const markdownNotes = feature({
  name: 'markdown_notes',
  keys: {
    form: {
      markdown_notes: withDefault(
        'false',
        'Whether notes are Markdown: headings, lists, paragraphs, `**strong**`, `*emphasized*` and links. HTML appears as text.',
        boolean(),
      ),
    },
  },
  configure: ({ form }) => {
    const { markdown_notes: isMarkdown, title }: { readonly title?: unknown } & typeof form = form;
    if (!isMarkdown) return undefined;
    return {
      markup: ({ hasHeading }) => {
        const level = hasHeading !== false && title !== undefined ? 3 : 2;
        return { note: (text) => html`<div class="field-note">\n${blocks(text, level)}</div>\n` };
      },
    };
  },
});

export const plugin: Plugin = { name: 'markdown_notes', features: [markdownNotes] };
