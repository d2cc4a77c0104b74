import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import * as z from 'zod/v4';
import { loadManual } from '../manual.ts';
import { ToolError } from '../owner.ts';
import { looksOnly, tool } from '../tool.ts';

/** The longest part of a page that is shown at once, in characters. */
const mostShown = 16_000;

export const readManual = tool({
  name: 'read_manual',
  title: 'Read the manual',
  description:
    'Shows a page of the manual, or one section of it, as Markdown. Long pages come in parts: ask again with from = next_from. README.md lists all pages.',
  annotations: looksOnly,
  input: z.strictObject({
    page: z.string().max(200).describe('A page, such as keep.md or outputs/email.md.'),
    heading: z.string().max(200).optional().describe('Only this section. Default: the whole page.'),
    from: z.int().min(0).max(10_000_000).default(0).describe('The character to begin with.'),
  }),
  output: z.object({
    page: z.string(),
    headings: z.array(z.string()),
    text: z.string(),
    next_from: z.number().nullable().describe('null: this was the end.'),
  }),
  async run({ page: requested, heading, from }, session) {
    const manual = await loadManual(session.owner);
    const page = requested.replace(/^\/?docs\//, '').replace(/#.*$/, '');
    const whole = manual.pages.get(page);
    if (whole === undefined) {
      const near = didYouMean(nearest(page, [...manual.pages.keys()]));
      throw new ToolError(`the manual has no page "${page}"${near}; README.md lists all pages`);
    }
    const sections = manual.sectionsOf(page);
    const headings = sections.map((section) => section.heading);
    const section = sections.find((one) => [one.heading, one.anchor].includes(heading ?? ''));
    if (heading !== undefined && !section) {
      throw new ToolError(`${page} has no heading "${heading}"${didYouMean(nearest(heading, headings))}`);
    }
    const text = heading !== undefined && section ? section.text : whole;
    const end = from + mostShown;
    return { page, headings, text: text.slice(from, end), next_from: end < text.length ? end : null };
  },
});

export const searchManual = tool({
  name: 'search_manual',
  title: 'Search the manual',
  description:
    'Searches the manual of Form Relay, in this version, for words and names of keys, such as "honeypot" or "mail through gmail". Returns sections with an excerpt, the best first; read_manual shows them in full. Use it before you write config: names of keys differ from those of other products.',
  annotations: looksOnly,
  input: z.strictObject({
    query: z.string().min(1).max(300).describe('A few words in English, or the name of a key.'),
    limit: z.int().min(1).max(20).default(6),
  }),
  output: z.object({
    results: z.array(
      z.object({
        page: z.string().describe('For read_manual.'),
        title: z.string(),
        heading: z.string(),
        address: z.string().describe('The page in the repository, with its anchor.'),
        excerpt: z.string(),
      }),
    ),
  }),
  run: async ({ query, limit }, session) => ({
    results: (await loadManual(session.owner)).search(query, limit).map(({ section, excerpt }) => ({
      page: section.page,
      title: section.title,
      heading: section.heading,
      address: `docs/${section.page}${section.anchor && `#${section.anchor}`}`,
      excerpt,
    })),
  }),
});
