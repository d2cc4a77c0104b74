/** The manual is found by what people search for, and read in parts. */
import { expect, test } from 'vitest';
import { makeManual } from '../../packages/cli/src/mcp/manual.ts';

const manualOf = (pages: Readonly<Record<string, string>>) => makeManual(new Map(Object.entries(pages)));

test('a page is cut at its headings, which have the anchors that GitHub gives them', () => {
  const page = `Before any heading.

# The \`page\`  
Top.

## A [link](other.md#x) & \`min_fill\`: 50 %
First \`\`\`in a line.

\`\`\`yaml
# a comment
\`\`\`

  ~~~
  ## another
  ~~~

###   Ärger_1
####   Ärger_1
# Ärger_1
##### Too deep
#No heading
 # Nor this
`;
  const found = manualOf({ 'a.md': page, 'b.md': 'No heading.', 'c.md': '# C\n' });
  expect(found.sectionsOf('a.md')).toEqual(
    [
      { heading: 'The page', anchor: '', text: 'Top.' },
      {
        heading: 'A link & min_fill: 50 %',
        anchor: 'a-link--min_fill-50-',
        text: 'First ```in a line.\n\n```yaml\n# a comment\n```\n\n  ~~~\n  ## another\n  ~~~',
      },
      { heading: 'Ärger_1', anchor: 'ärger_1', text: '' },
      { heading: 'Ärger_1', anchor: 'ärger_1-1', text: '' },
      { heading: 'Ärger_1', anchor: 'ärger_1-2', text: '##### Too deep\n#No heading\n # Nor this' },
    ].map((section) => ({ page: 'a.md', title: 'The page', ...section })),
  );
  expect(found.sectionsOf('b.md')).toEqual([]);
  expect(found.sectionsOf('c.md')).toEqual([
    { page: 'c.md', title: 'C', heading: 'C', anchor: '', text: '' },
  ]);
});

const filler = 'many other words of no weight stand here '.repeat(3);

/** Sections by their page and anchor, the best first. In each, the winner stands last in the manual. */
test.each<[promise: string, pages: Record<string, string>, query: string, found: string[]]>([
  ['a plural finds the singular', { a: 'One mail.', b: 'Other.' }, 'Mails', ['a']],
  ['a singular finds the plural', { a: 'Two mails.' }, 'mail', ['a']],
  ['short words and those with ss have no plural', { a: 'A dns, an address.' }, 'dn addres', []],
  ['a short word is found as it is', { a: 'A dns record.' }, 'dns', ['a']],
  ['case and accents are those of any language', { a: 'Die GRÖSSE.' }, 'grösse', ['a']],
  ['a part of a key finds it', { a: 'See `min_fill_seconds`.' }, 'fill', ['a']],
  ['so does the singular of a part', { a: 'See `min_fill_seconds`.' }, 'second', ['a']],
  ['so does the plural of a part', { a: 'See `min_fill_second`.' }, 'seconds', ['a']],
  ['an underscore alone is no word', { a: 'See `_first`.' }, '_other', []],
  ['a whole key is better than a part', { a: 'min min', b: 'min_fill' }, 'min_fill', ['b', 'a']],
  ['words that people say stand for those of the manual', { container: 'x' }, 'docker', ['container']],
  ['such as privacy', { privacy: 'x', a: '' }, 'GDPR', ['privacy']],
  ['such as erasing', { a: 'Erase a person.' }, 'delete', ['a']],
  ['a word of no section is left out', { a: 'red' }, 'red xyzzy', ['a']],
  ['no known word finds nothing', { a: 'red' }, 'xyzzy', []],
  [
    'all words are better than many of one',
    { a: 'red '.repeat(9), b: `red blue ${filler}` },
    'red blue',
    ['b', 'a'],
  ],
  ['a rare word says more', { a: 'red', b: 'red', c: 'red', d: 'blue' }, 'red blue', ['d', 'a', 'b', 'c']],
  ['a text with more of it is better', { a: `red x ${filler}`, b: `red red ${filler}` }, 'red', ['b', 'a']],
  ['a shorter text is better', { a: `red ${filler}`, b: 'red and green' }, 'red', ['b', 'a']],
  ['length counts less than words', { a: 'red', b: `red red red red ${filler}` }, 'red', ['b', 'a']],
  ['a heading is better than a text', { a: 'red red red red', b: 'x\n## Red\ny' }, 'red', ['b#red', 'a']],
  ['the name of a page is part of its title', { a: 'red', red: 'x' }, 'red', ['red', 'a']],
  [
    'the top of a page about it comes first',
    { a: 'x\n## Red\nred red', 'colours/red': 'x\n## More\ny' },
    'red',
    ['colours/red', 'a#red', 'colours/red#more'],
  ],
  [
    'a page about all of it comes first',
    { a: 'x\n## Red wine\nred wine red wine red wine', 'red-wine': 'x' },
    'red wine',
    ['red-wine', 'a#red-wine'],
  ],
  [
    'a page about it is better than one with its title',
    { a: '# Red\nred red', red: 'x' },
    'red',
    ['red', 'a'],
  ],
  [
    'but only a page about all of it',
    { a: 'x', b: '# Red\nred red', 'red-wine': 'x' },
    'red',
    ['b', 'red-wine'],
  ],
  ['asking twice for a word changes nothing', { a: 'red', b: 'blue blue' }, 'red red blue', ['b', 'a']],
])('%s', (_, texts, query, expected) => {
  const pages = Object.entries(texts).map(
    ([name, text]) => [`${name}.md`, text.startsWith('# ') ? text : `# Page\n${text}`] as const,
  );
  const { search } = makeManual(new Map(pages));
  const found = search(query, 5).map(
    ({ section: { page, anchor } }) => page.replace(/\.md$/, '') + (anchor && `#${anchor}`),
  );
  expect(found).toEqual(expected);
  expect(search(query, 1)).toHaveLength(Math.min(1, expected.length));
});

test('an excerpt begins a line before the best one, and says where it was cut', () => {
  const excerpt = (lines: readonly string[], query = 'red blue') =>
    manualOf({ 'a.md': `# Page\n${lines.join('\n')}` }).search(query, 1)[0]?.excerpt;
  expect(excerpt(['Red.'])).toBe('Red.');
  expect(excerpt(['One.', 'Red red.', 'Three.'])).toBe('One.\nRed red.\nThree.');
  expect(excerpt(['One.', 'Red.', 'Three.', 'Red and blue.', 'Red.'])).toBe('… Three.\nRed and blue.\nRed.');
  const long = 'x'.repeat(600);
  expect(excerpt(['Red.', long])).toBe(`Red.\n${'x'.repeat(495)} …`);
  expect(excerpt([`Red. ${'x'.repeat(495)}`])).toBe(`Red. ${'x'.repeat(495)}`);
  expect(excerpt(['One.', 'Two.', 'Three.', 'Blue.', 'y'.repeat(489)])).toBe(
    `… Three.\nBlue.\n${'y'.repeat(486)} …`,
  );
});
