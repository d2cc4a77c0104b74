import * as z from 'zod/v4';
import { loadManual } from '../manual.ts';
import { looksOnly, tool } from '../tool.ts';

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
