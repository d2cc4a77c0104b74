/** A secret that an assistant sees as dots stays the same secret, under the same key, or goes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigView } from '../../apps/mcp/src/config_view.ts';
import { Session } from '../../apps/mcp/src/session.ts';
import { type Candidate, draftOf, writtenOf } from '../../apps/mcp/src/shared.ts';
import { ownerOf } from '../../packages/cli/src/serve_mcp.ts';
import { runs } from '../support/fuzz.ts';

const session = new Session(ownerOf('missing/webform.yaml'), false);
const shownOf = (full: string) => new ConfigView(full).shown;

/** The text that an assistant's edits make, or the refusal. */
function written(full: string, candidate: Candidate): string {
  try {
    return writtenOf(candidate, full, session);
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

const smtp = (host: string, password: string) =>
  `      - type: smtp\n        host: ${host}.example\n        port: 25\n        password: ${password}\n`;
const outputs = (...all: string[]) => `forms:\n  a:\n    fields: [{name: x}]\n    outputs:\n${all.join('')}`;

const [first, second] = [smtp('one', 'SECRET-1'), smtp('two', 'SECRET-2')];
const both = outputs(first, second);
const hide = (text: string) => text.replaceAll(/SECRET-./g, '••••••••');

describe('a text with dots', () => {
  test.each<[what: string, full: string, text: string, written: string]>([
    ['stays as it is', both, hide(both), both],
    ['has outputs in another order', both, hide(outputs(second, first)), outputs(second, first)],
    ['has an output less', both, hide(outputs(second)), outputs(second)],
    ['has an output twice', both, hide(outputs(first, second, first)), outputs(first, second, first)],
    [
      'has an output as comments',
      both,
      hide(outputs(first, second.replaceAll(/^/gm, '#').replace(/#$/, ''))),
      outputs(first, second.replaceAll(/^/gm, '#').replace(/#$/, '')),
    ],
    ['has no line break at its end', both, hide(both).trimEnd(), both.trimEnd()],
    ['is without dots', both, 'forms: {}\n', 'forms: {}\n'],
    ['has the dots of the owner', 'title: a •• b\nx: •\n', 'y: •\ntitle: a •• b\n', 'y: •\ntitle: a •• b\n'],
    [
      'has the same secret in two places',
      outputs(smtp('one', 'SECRET-1'), smtp('one', 'SECRET-1')),
      hide(outputs(smtp('new', 'SECRET-1'))),
      outputs(smtp('new', 'SECRET-1')),
    ],
  ])('%s', async (_, full, text, expected) => {
    expect(shownOf(full)).toBe(hide(full));
    expect(written(full, { text })).toBe(expected);
  });

  const alike = (count: number, host = (_: number) => 'one') =>
    outputs(
      ...Array.from({ length: count }, (_, index) =>
        smtp(host(index), `SECRET-${String.fromCharCode(index < 26 ? 65 + index : 0x4e00 + index)}`),
      ),
    );

  test.each<[what: string, full: string, text: string, why: RegExp]>([
    [
      'new dots',
      both,
      hide(both).replace('port: 25', 'port: •••'),
      /^refused: line 7: the dots stand for a secret that read_config does not show\. Leave its line as it is, or name an environment/,
    ],
    ['more dots', both, hide(both).replace(/•$/m, '••'), /^refused: line 8: the dots stand for a secret/],
    [
      'an output that could be either',
      both,
      hide(outputs(smtp('new', 'SECRET-1'))),
      /^refused: line 8: the dots stand for one of several secrets/,
    ],
    [
      'one of two that look the same',
      alike(2),
      hide(alike(1)),
      /^refused: line 8: the dots stand for one of several secrets/,
    ],
    [
      'one of more than a hundred',
      alike(101, (index) => `h${index}`),
      hide(outputs(smtp('h5', 'SECRET-1'))),
      /^refused: line 8: the dots stand for one of several secrets/,
    ],
  ])('is refused with %s', (_, full, text, why) => {
    expect(written(full, { text })).toMatch(why);
  });
});

describe('edits', () => {
  const edit = (old: string, text: string) => ({ old, new: text });
  test.each<[what: string, full: string, edits: Candidate['edits'], written: string]>([
    ['replace a text', both, [edit('two.example', 'new.example')], both.replace('two.', 'new.')],
    [
      'build on each other',
      both,
      [edit('two.example', 'new.example'), edit('host: new.', 'host: newer.')],
      both.replace('two.', 'newer.'),
    ],
    ['remove an output', both, [edit(hide(first), '')], outputs(second)],
    [
      'move a secret',
      both,
      [edit(hide(first), ''), edit(hide(second), hide(second + first))],
      outputs(second, first),
    ],
    [
      'move a secret to a new place',
      both,
      [edit(hide(first), ''), edit('    outputs:\n', hide(`    outputs:\n${first}`))],
      both,
    ],
    [
      'swap outputs at once',
      both,
      [edit(hide(first + second), hide(second + first))],
      outputs(second, first),
    ],
    ['in other lines', both, [edit('forms:\r\n', 'forms:\r\n\r\n')], both.replace('forms:\n', 'forms:\n\n')],
    [
      'need a text that is there',
      both,
      [edit('forms', 'forms'), edit('two.Example', '')],
      'refused: edits[1]: "old" is not in the config; it must be there exactly once, with its spaces and line breaks',
    ],
    [
      'need a text that is there once',
      both,
      [edit('port', 'user')],
      'refused: edits[0]: "old" is in the config 2 times; it must be there exactly once, with its spaces and line breaks',
    ],
    [
      'do not bring dots that were not in their text',
      both,
      [edit('port: 25\n        password: ••••••••\n      - type', 'port: ••••••••\n      - type')],
      'refused: line 1: the dots stand for a secret that read_config does not show. Leave its line as it is, or name an environment variable that the owner sets',
    ],
  ])('%s', (_, full, edits, expected) => {
    expect(written(full, { edits })).toBe(expected);
  });
});

test('a candidate is a text or edits', async () => {
  const edits = [{ old: 'a', new: 'b' }];
  expect(written(both, { text: 'a', edits })).toBe('refused: give either text or edits, not both');
  expect(written(both, {})).toBe('refused: give text or edits');
  expect(written('', { edits })).toBe('refused: missing/webform.yaml has nothing to edit; give text');
  expect(written('', { text: 'a' })).toBe('a');
  await expect(draftOf({}, session)).rejects.toThrow(/^missing\/webform\.yaml: /);
  expect(await draftOf({ text: 'a' }, session)).toBe('a');
});

const webhook = (url: string, more = '') =>
  `      - type: webhook\n        url: ${url}\n        mapping: "*"\n${more}`;

/** Texts with the one line of an output that has dots. */
test.each<[what: string, full: string, text: string, isTaken: boolean]>([
  ['the same place', outputs(webhook('https://h.example/SECRET-1')), '=', true],
  [
    'another form',
    'x',
    'forms:\n  b:\n    fields: [{name: y}]\n    outputs:\n      - {type: email}\n      - type: webhook\n        url: https://h.example/••••••••\n',
    true,
  ],
  [
    'an output of another type',
    'x',
    'forms:\n  a:\n    outputs:\n      - type: http_post\n        url: https://h.example/••••••••\n',
    false,
  ],
  [
    'an output without a type',
    'x',
    'forms:\n  a:\n    outputs:\n      - mapping: "*"\n        url: https://h.example/••••••••\n',
    false,
  ],
  ['a key of the form', 'x', 'forms:\n  a:\n    url: https://h.example/••••••••\n', false],
  ['a name of a form', 'x', 'forms:\n  url: https://h.example/••••••••\n', false],
  ['a comment', 'x', '# url: https://h.example/••••••••\nforms: {}\n', true],
  ['a comment behind a text', 'x', 'forms: {}\n#   url: https://h.example/••••••••\n', true],
  [
    'a text of several lines',
    'x',
    'forms:\n  a:\n    title: |\n      url: https://h.example/••••••••\n',
    false,
  ],
  [
    'a text of an output',
    'x',
    'forms:\n  a:\n    outputs:\n      - type: webhook\n        static:\n          note: |\n            url: https://h.example/••••••••\n',
    false,
  ],
  ['a key', 'x', 'forms:\n  a:\n    ? |\n      url: https://h.example/••••••••\n    : x\n', false],
])('a secret may move to %s: %#', (what, _, text, isTaken) => {
  const full = outputs(webhook('https://h.example/SECRET-1'));
  const made = written(full, { text: text === '=' ? hide(full) : text });
  if (isTaken)
    expect([what, made]).toEqual([what, (text === '=' ? hide(full) : text).replace('••••••••', 'SECRET-1')]);
  else
    expect([what, made]).toEqual([
      what,
      expect.stringMatching(/^refused: line \d+: the secret behind the dots would/),
    ]);
});

test.each<[what: string, full: string, edits: [old: string, text: string], isTaken: boolean]>([
  [
    'an alias makes a secret a text',
    outputs(webhook('&u https://h.example/SECRET-1')),
    ['mapping: "*"', 'mapping: *u'],
    false,
  ],
  [
    'an alias makes it another secret',
    outputs(webhook('&u https://h.example/SECRET-1')),
    ['mapping: "*"', 'headers: {X-Key: *u}'],
    false,
  ],
  [
    'a comment becomes an output',
    outputs(webhook('https://h.example', '#     - type: webhook\n#       url: https://h.example/SECRET-1\n')),
    ['#     - type: webhook\n#       url', '      - type: webhook\n        url'],
    true,
  ],
  [
    'a comment becomes a key of the form',
    `# title: https://h.example/SECRET-1\n${both}`,
    ['# title', 'title'],
    false,
  ],
  [
    'a comment becomes an alert',
    `# alerts:\n#   to: https://h.example/SECRET-1\n${both}`,
    ['# alerts:\n#   to', 'alerts:\n    to'],
    true,
  ],
  [
    'the key has another name',
    both,
    ['one.example\n        port: 25\n        password', 'one.example\n        port: 25\n        subject'],
    false,
  ],
  [
    'the output has another type',
    both,
    ['- type: smtp\n        host: one', '- type: email\n        host: one'],
    false,
  ],
  ['another key of the output changes', both, ['host: one', 'tls: starttls\n        host: one'], true],
  ['the list becomes a map', outputs(first), ['      - type', '        type'], false],
])('a secret in place: %s', (what, full, [old, text], isTaken) => {
  const made = written(full, { edits: [{ old, new: text }] });
  if (isTaken) expect([what, made]).toEqual([what, full.replace(old, text)]);
  else
    expect([what, made]).toEqual([
      what,
      expect.stringMatching(/^refused: line \d+: the secret behind the dots would be shown there/),
    ]);
});

test('a config that is not YAML is replaced whole', () => {
  const broken = 'password: SECRET-1\nforms: [\n';
  expect(written(broken, { edits: [{ old: '[', new: '{}' }] })).toMatch(/is not YAML/);
  expect(written(broken, { text: 'forms: {}\n' })).toBe('forms: {}\n');
  expect(written(broken, { text: 'password: ••••••••\nforms: {}\n' })).toMatch(/^refused: line 1: the dots/);
});

test('however lines move, no secret is shown, and no dry run has one', async () => {
  const full = `${outputs(first, webhook('https://h.example/SECRET-3', '        headers:\n          X-Key: SECRET-4\n        static:\n          access_key: SECRET-5\n'), second)}    title: Hello\n# note\n#   url: https://h.example/SECRET-6\nalerts:\n  to: https://h.example/SECRET-7\n`;
  const view = new ConfigView(full);
  expect(view.shown).not.toContain('SECRET');
  const lines = view.shown.split('\n');
  // Changes of some lines, such as those of an output.
  const ways: Readonly<Record<string, (some: readonly string[]) => readonly string[]>> = {
    gone: () => [],
    same: (some) => some,
    indented: (some) => some.map((line) => `  ${line}`),
    outdented: (some) => some.map((line) => line.replace(/^ {2}/, '')),
    comments: (some) => some.map((line) => `# ${line}`),
    noComments: (some) => some.map((line) => line.replace(/# ?/, '')),
    aText: ([line = '', ...rest]) => [line.replace(/:.*/, ': |'), ...rest],
    anotherKey: ([line = '', ...rest]) => [line.replace(/\w+:/, 'title:'), ...rest],
    oneLine: (some) => [some.map((line, index) => (index === 0 ? line : line.trim())).join(' ')],
  };
  const outputsAt = lines.flatMap((line, index) => (line.startsWith('      - ') ? [index] : []));
  const at = fc.oneof(fc.nat({ max: lines.length - 1 }), fc.constantFrom(...outputsAt));
  const way = fc.constantFrom(...Object.keys(ways));
  const step = fc.record({ from: at, count: fc.integer({ min: 1, max: 8 }), here: way, to: at, there: way });
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 2 }), async (steps) => {
      const changed = steps.reduce<readonly string[]>((all, { from, count, here, to, there }) => {
        const some = all.slice(from, from + count);
        const rest = all.toSpliced(from, count, ...(ways[here]?.(some) ?? []));
        return here === 'gone' ? rest.toSpliced(to, 0, ...(ways[there]?.(some) ?? [])) : rest;
      }, lines);
      const made = written(full, { text: changed.join('\n') });
      if (made.startsWith('refused')) return;
      const after = new ConfigView(made);
      if (!after.written) return;
      taken += 1;
      expect(after.shown).not.toMatch(/SECRET-\d/);
      expect(after.safe).not.toMatch(/SECRET-\d/);
      // Those that are no comments go to servers.
      for (const { path, value } of after.written.texts)
        if (value.includes('SECRET'))
          expect(['outputs', 'alerts']).toContain(path[0] === 'forms' ? path[2] : path[0]);
    }),
    runs(40),
  );
  expect(taken).toBeGreaterThan(0);
});
