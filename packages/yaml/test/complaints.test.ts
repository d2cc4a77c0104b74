/** Messages about YAML that cannot be read, and their places. */
import { YAMLException } from 'js-yaml';
import { expect, test } from 'vitest';
import { readDocument } from '../src/document.ts';
import { misreadOf } from '../src/misread.ts';

/** Each line: a YAML text, its place in «», the code of what is wrong there. */
test.each([
  ['title: It’s new«:» now', 'yaml_colon_unquoted'],
  ['title: It’s new«:» {{ x }}', 'yaml_text_with_template_unquoted'],
  // A dash before a key at the start of a line
  ['a:\n  - b: c\n  «-»"name": d', 'dash_without_space'],
  ["a:\n  - b: c\n  «-»'name': d", 'dash_without_space'],
  ['a:\n  - b: c\n  «-»1: d', 'yaml_indented_differently'],
  ['title: see -note«:» this', 'yaml_colon_unquoted'],
  // An apostrophe within a word that ends a text in single quotes
  ["title:  'We«'»re glad'", 'yaml_apostrophe'],
  ["title: 'It''s Ann«'»s'", 'yaml_apostrophe'],
  ["title: 'Hello!'«x» it's", 'yaml_text_after_value'],
  ["title: 'a' «b»'s: x", 'yaml_text_after_value'],
  // A quote that ends a text in double quotes
  ['title:  "Say "«h»i" now"', 'yaml_quote_inside'],
  ['"Say "«h»i"": x', 'yaml_quote_inside'],
  ['{a: "x", b: «@»y}', 'yaml_start_unquoted'],
  ['options: ["a"«}», b', 'yaml_comma_missing'],
  // A template without quotes, or with the same quotes inside
  ['to: «{{»x}}', 'yaml_template_unquoted'],
  ['- «{{» x }}', 'yaml_template_unquoted'],
  ['static: {a:  «Form »{{ .form.id }}}', 'yaml_text_with_template_unquoted'],
  ['to: "{{ x "«y»" }}"', 'yaml_template_in_double_quotes'],
  // A colon that is missing, or too many
  ['a\n  b«:» c', 'yaml_colon_missing_above'],
  ['a b\n  b«:» c', 'yaml_colon_missing_above'],
  ['title: «`»new', 'yaml_start_unquoted'],
  // A line in the wrong column
  ['a:\n  b: c\n «d»: e', 'yaml_indented_differently'],
  ['a: b\n  c«:» d', 'yaml_colon_missing_above'],
  ['a:\n  - b: c\n  «d»: e', 'yaml_dash_missing'],
  ['a:\n  - {b: c}\n\n    # d\n  «{»d: e}', 'yaml_dash_missing'],
  ['a:\n  - b\n«-» c', 'yaml_belongs_nowhere'],
  ['a: []\n  «-» b: c', 'yaml_indented_differently'],
  // A tab
  ['a:\n«\t»b: c', 'yaml_tab'],
  ['a:\n  b: c\n  «\t»d: e', 'yaml_tab'],
  // Nothing of the kind
  ['a: b\n  c\nd«»', 'yaml_colon_missing'],
  ['a: [b,\n  c]\n  «d»: e', 'yaml_indented_differently'],
  ['a: b}\n«}»', 'yaml_belongs_nowhere'],
  // The end of the text, where something is missing
  ['a: "b«»', 'yaml_quote_never_closed'],
  ["a: 'b«»", 'yaml_quote_never_closed'],
  ['a: [b«»', 'yaml_bracket_never_closed'],
  ['a: b\nc«»', 'yaml_colon_missing'],
])('%s is %s', (marked, code) => {
  const read = readDocument(marked.replaceAll(/[«»]/g, ''));
  if (read.ok) expect.unreachable();
  const offset = marked.indexOf('«');
  const length = Math.max(1, marked.indexOf('»') - offset - 1);
  expect(misreadOf(read.error)).toMatchObject({ code, place: { offset, length } });
});

const config = `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, required: true}
      - name: topics
        options:
          - sales
          - support
      - name: message
        label: >
          What do you
          want to say?
    outputs:
      - type: smtp
        host: smtp.example.com
`;

test('a line in any wrong column is explained in our own words, at that line or where it first shows', () => {
  const lines = config.trimEnd().split('\n');
  for (const [number, line] of lines.entries()) {
    for (let column = 0; column < 16; column += 1) {
      const moved = lines.with(number, ' '.repeat(column) + line.trimStart());
      const read = readDocument(moved.join('\n'));
      if (read.ok) continue;
      const { code, place } = misreadOf(read.error);
      expect([number, column, code]).not.toEqual([number, column, 'yaml_refused']);
      expect(moved.slice(0, number).join('\n').length).toBeLessThanOrEqual(place.offset);
    }
  }
});

/** The parser's text, when it complains of something of which there is nothing better to say. */
const complaint = (reason: string) => {
  const mark = { position: 0, line: 0, column: 0, name: '', buffer: 'a' };
  const error = Object.assign(new YAMLException(reason), { reason, mark });
  return misreadOf({ error, text: 'a', events: [] });
};

test.each(['"hunter2"', "'hunter2' here", '`hunter2`', '<hunter2>', '!hunter2', '"hunter2\n'])(
  'a quotation of the parser, such as %j, may be a password',
  (quoted) => {
    const expected = { code: 'yaml_refused', message: 'odd words' };
    expect(complaint(`odd words ${quoted}`)).toMatchObject(expected);
    expect(complaint(`odd words${quoted}`)).toMatchObject(expected);
  },
);

test.each([new RangeError('hunter2'), new YAMLException('hunter2'), 'hunter2'])(
  'what else goes wrong is not quoted (%s)',
  (error) => {
    const misread = misreadOf({ error, text: 'a', events: [] });
    expect(misread).toMatchObject({ code: 'yaml_unreadable', place: { offset: 0, length: 0 } });
    expect(misread.message).not.toContain('hunter2');
  },
);

test.each([
  ['a colon in every third place', 'a: '.repeat(3_000), 'yaml_colon_unquoted'],
  ['the same, and a quote', `${'a: '.repeat(100_000)}b: "c" d`, 'yaml_colon_unquoted'],
  ['the same, before a template', `${'a: '.repeat(3_000)}" {{ x }}: b`, 'yaml_text_with_template_unquoted'],
])('a long line with %s takes no longer than others', (_, yaml, code) => {
  const document = readDocument(yaml);
  expect(document.ok ? undefined : misreadOf(document.error).code).toBe(code);
});
