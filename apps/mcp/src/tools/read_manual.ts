import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import * as z from 'zod/v4';
import { type Owner, ToolError } from '../owner.ts';
import { looksOnly, tool } from '../tool.ts';

/** The longest part of a page shown at once, in characters. */
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
    from: z.int().min(0).max(10_000_000).default(0).describe('The character to start at.'),
  }),
  output: z.object({
    page: z.string(),
    headings: z.array(z.string()),
    text: z.string(),
    next_from: z.number().nullable().describe('null: no more pages.'),
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

// The manual: a compressed file of pages by path, which the build puts next to the program.

interface Section {
  /** Relative to docs/, such as `outputs/email.md`. */
  readonly page: string;
  /** The page's own heading. */
  readonly title: string;
  readonly heading: string;
  /** The URL fragment; empty at the top of a page. */
  readonly anchor: string;
  readonly text: string;
}

interface Hit {
  readonly section: Section;
  readonly excerpt: string;
}

interface Manual {
  readonly pages: ReadonlyMap<string, string>;
  sectionsOf(page: string): readonly Section[];
  search(query: string, most: number): readonly Hit[];
}

let manual: Promise<Manual> | undefined;

/** This version's manual, loaded on first use. */
function loadManual({ readBeside }: Owner): Promise<Manual> {
  manual ??= readBeside('cli/manual.json').then((bytes) =>
    makeManual(new Map(Object.entries(JSON.parse(Buffer.from(bytes).toString('utf8'))))),
  );
  return manual;
}

function makeManual(pages: ReadonlyMap<string, string>): Manual {
  const sections = [...pages].flatMap(([page, text]) => sectionsIn(page, text));
  return {
    pages,
    sectionsOf: (page) => sections.filter((section) => section.page === page),
    search: searcher(sections),
  };
}

function sectionsIn(page: string, text: string): readonly Section[] {
  const found: { heading: string; anchor: string; lines: string[] }[] = [];
  const used = new Map<string, number>();
  let isCode = false;
  for (const line of text.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,4} +(.+?)\s*$/.exec(line)?.[1];
    if (heading === undefined) found.at(-1)?.lines.push(line);
    else found.push({ heading: plain(heading), anchor: anchorOf(heading, used), lines: [] });
  }
  const title = found[0]?.heading ?? page;
  return found.map(({ heading, anchor, lines }, index) => ({
    page,
    title,
    heading,
    anchor: index === 0 ? '' : anchor,
    text: lines.join('\n').trim(),
  }));
}

const plain = (markdown: string) => markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');

/** Generates anchors from headings as GitHub does. */
function anchorOf(heading: string, used: Map<string, number>): string {
  const slug = plain(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  const before = used.get(slug) ?? 0;
  used.set(slug, before + 1);
  return before === 0 ? slug : `${slug}-${before}`;
}

/** BM25's usual constants: how fast repetitions lose weight, and how much long texts are penalised. */
const saturation = 1.2;
const lengthPenalty = 0.4;
/** The weight of a word in a heading. */
const ofHeading = 8;
const ofTitle = 4;
/** The weight of a word in a page's title. */
const ofTopTitle = 24;

/** Common search words, with the manual's own words for them. */
const called: Readonly<Record<string, string>> = { gdpr: 'privacy', delete: 'erase', docker: 'container' };

interface Indexed {
  readonly section: Section;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Ranks sections by BM25. Sections with all words of the query come first. */
function searcher(sections: readonly Section[]): Manual['search'] {
  const indexed: readonly Indexed[] = sections.map((section) => {
    const counts = new Map<string, number>();
    const add = (text: string, weight: number) => {
      for (const word of wordsIn(text)) counts.set(word, (counts.get(word) ?? 0) + weight);
    };
    add(section.text, 1);
    add(section.heading, ofHeading);
    add(
      `${section.title} ${section.page.replace(/\.md$/, '')}`,
      section.anchor === '' ? ofTopTitle : ofTitle,
    );
    return { section, counts, length: wordsIn(section.text).length };
  });
  const usual = indexed.reduce((sum, { length }) => sum + length, 0) / Math.max(1, indexed.length);
  const sectionsWith = new Map<string, number>();
  for (const { counts } of indexed)
    for (const word of counts.keys()) sectionsWith.set(word, (sectionsWith.get(word) ?? 0) + 1);

  return (query, most) => {
    const queryWords = wordsIn(query).flatMap((word) => [word, ...(called[word] ? [called[word]] : [])]);
    const words = [...new Set(queryWords)].filter((word) => sectionsWith.has(word));
    const rarity = (word: string) => Math.log(1 + indexed.length / (sectionsWith.get(word) ?? 1));
    const whole = words.reduce((sum, word) => sum + rarity(word), 0);
    const scored = indexed.flatMap(({ section, counts, length }) => {
      let score = 0;
      let met = 0;
      for (const word of words) {
        const count = counts.get(word) ?? 0;
        if (count === 0) continue;
        const damped = count + saturation * (1 - lengthPenalty + (lengthPenalty * length) / usual);
        score += (rarity(word) * count * (saturation + 1)) / damped;
        met += rarity(word);
      }
      const isAbout = section.anchor === '' && nameOf(section.page).every((word) => words.includes(word));
      return score === 0 ? [] : [{ section, score: score * (met / whole) ** 2 * (isAbout ? 1.5 : 1) }];
    });
    return scored
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
      .map(({ section }) => ({ section, excerpt: excerptOf(section, words) }));
  };
}

/** The words in a page's own name. */
const nameOf = (page: string) => wordsIn(page.replace(/^.*\/|\.md$/g, ''));

/** Words and key names; keys are also split into parts: `fill` finds `min_fill_seconds`. */
function wordsIn(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) =>
    word.includes('_') ? [word, ...word.split('_').filter(Boolean).map(singular)] : [singular(word)],
  );
}

const singular = (word: string) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word);

const excerptLength = 500;

/** The part of a section with the most query words. */
function excerptOf({ text }: Section, words: readonly string[]): string {
  const lines = text.split('\n');
  const wanted = new Set(words);
  const scores = lines.map((line) => new Set(wordsIn(line).filter((word) => wanted.has(word))).size);
  const best = scores.indexOf(Math.max(...scores));
  const from = lines.slice(0, Math.max(0, best - 1)).join('\n').length;
  const shown = text.slice(from, from + excerptLength).trim();
  return `${from > 0 ? '… ' : ''}${shown}${from + excerptLength < text.length ? ' …' : ''}`;
}
