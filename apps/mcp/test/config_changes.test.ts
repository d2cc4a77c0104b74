/** A secret that an assistant sees as dots remains the same secret under the same key, or is removed. */
import fc from 'fast-check';
import { ownerOf } from '../../../packages/cli/src/commands/mcp.ts';
import { holds } from '../../../test/support/fuzz.ts';
import { ConfigView } from '../src/config_view.ts';
import { Session } from '../src/session.ts';
import { type Candidate, writtenOf } from '../src/tool.ts';

const session = new Session(ownerOf('missing/webform.yaml'), false);
const shownOf = (full: string) => new ConfigView(full).shown;

/** The text after an assistant's edits, or the reason for refusing them. */
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

test.each<[what: string, full: string, text: string, written: string | RegExp]>([
  ['is without dots', both, 'forms: {}\n', 'forms: {}\n'],
  ['has the dots of the owner', 'title: a •• b\nx: •\n', 'y: •\ntitle: a •• b\n', 'y: •\ntitle: a •• b\n'],
  ['has dots for secrets', both, hide(both), /^refused: text has dots, which stand for secrets/],
])('a text that %s', (_, full, text, expected) => {
  expect(shownOf(full)).toBe(hide(full));
  expect(written(full, { text })).toEqual(
    typeof expected === 'string' ? expected : expect.stringMatching(expected),
  );
});

describe('edits', () => {
  const edit = (old: string, text: string) => ({ old, new: text });
  const once = 'this text must occur exactly once, including its spaces and line breaks';
  const isMissing = `refused: edits[1]: "old" is not in the config; ${once}`;
  const isTwice = `refused: edits[0]: "old" is in the config 2 times; ${once}`;
  const hasDots =
    'refused: edits[0]: "new" has dots, which stand for secrets that read_config does not show. Leave them out of edits: text outside the edits stays';
  test.each<[what: string, full: string, edits: Candidate['edits'], written: string]>([
    ['replace a text', both, [edit('two.example', 'new.example')], both.replace('two.', 'new.')],
    [
      'build on each other',
      both,
      [edit('two.', 'new.'), edit('host: new.', 'host: x.')],
      both.replace('two.', 'x.'),
    ],
    ['remove an output', both, [edit(hide(first), '')], outputs(second)],
    ['in other lines', both, [edit('forms:\r\n', 'forms:\r\n\r\n')], both.replace('forms:\n', 'forms:\n\n')],
    ['need a text that is there', both, [edit('forms', 'forms'), edit('two.Example', '')], isMissing],
    ['need a text that is there once', both, [edit('port', 'user')], isTwice],
    ['have no dots', both, [edit(hide(first), hide(second))], hasDots],
  ])('%s', (_, full, edits, expected) => expect(written(full, { edits })).toBe(expected));
});

const webhook = (url: string, more = '') =>
  `      - type: webhook\n        url: ${url}\n        mapping: "*"\n${more}`;

const aliased = outputs(webhook('&u https://h.example/SECRET-1'));
const comment = '#     - type: webhook\n#       url: https://h.example/SECRET-1\n';
const commented = outputs(webhook('https://h.example', comment));
const output = '- type: webhook\n        url';
const port = 'one.example\n        port: 25\n        ';

test.each<[what: string, full: string, edits: [old: string, text: string], isTaken: boolean]>([
  ['an alias makes a secret a text', aliased, ['mapping: "*"', 'mapping: *u'], false],
  ['an alias makes it another secret', aliased, ['mapping: "*"', 'headers: {X-Key: *u}'], false],
  ['a comment becomes an output', commented, ['#     - type: webhook\n#       url', `      ${output}`], true],
  ['a comment becomes a key', `# title: https://h.example/SECRET-1\n${both}`, ['# title', 'title'], false],
  [
    'a comment becomes an alert',
    `# alerts:\n#   to: https://h.example/SECRET-3\n${both}`,
    ['# alerts:\n#   to', 'alerts:\n    to'],
    true,
  ],
  ['the key has another name', both, [`${port}password`, `${port}subject`], false],
  ['the output has another type', both, ['smtp\n        host: one', 'email\n        host: one'], false],
  ['another key of the output changes', both, ['host: one', 'tls: starttls\n        host: one'], true],
  ['the list becomes a map', outputs(first), ['      - type', '        type'], false],
])('a secret in place: %s', (what, full, [old, text], isTaken) => {
  const made = written(full, { edits: [{ old, new: text }] });
  if (isTaken) expect(made, what).toBe(full.replace(old, text));
  else expect(made, what).toMatch(/^refused: line \d+: the secret behind the dots would be shown there/);
});

test('a config that is not YAML can only be replaced as a whole', () => {
  const broken = 'password: SECRET-1\nforms: [\n';
  expect(written(broken, { edits: [{ old: '[', new: '{}' }] })).toMatch(/is not YAML/);
  expect(written(broken, { text: 'forms: {}\n' })).toBe('forms: {}\n');
  expect(written(broken, { text: 'title: ••\n' })).toMatch(/^refused: text has dots/);
});

test('no edit reveals a secret, and dry runs contain none', async () => {
  const full = `${outputs(first, webhook('https://h.example/SECRET-3', '        headers:\n          X-Key: SECRET-4\n        static:\n          access_key: SECRET-5\n'), second)}    title: Hello\n# note\n#   url: https://h.example/SECRET-6\nalerts:\n  to: https://h.example/SECRET-7\n`;
  const { shown } = new ConfigView(full);
  expect(shown).not.toContain('SECRET');
  const insertion = fc.constantFrom(
    ...['', '\n', ' ', '# ', 'title: ', 'title: |\n  ', '&a ', '*a', '- ', "'"],
  );
  const place = fc.oneof(
    fc.nat({ max: shown.length }),
    fc.constantFrom(
      ...[...shown.matchAll(/^ *(?:- )?|\w+: ?/gm)].map(({ index, 0: word }) => index + word.length),
    ),
  );
  let taken = 0;
  await holds(300, [place, fc.nat({ max: 12 }), insertion], (at, drop, text) => {
    // As long as possible without including a secret, so that the text is unique.
    const from = shown.lastIndexOf('•', at - 1) + 1;
    const next = shown.indexOf('•', at);
    const to = next < 0 ? shown.length : next;
    const edit = {
      old: shown.slice(from, to),
      new: shown.slice(from, at) + text + shown.slice(Math.min(to, at + drop), to),
    };
    if (edit.old === '') return;
    const made = written(full, { edits: [edit] });
    if (made.startsWith('refused')) return;
    const after = new ConfigView(made);
    if (!after.written) return;
    taken += 1;
    expect(after.shown).not.toMatch(/SECRET-\d/);
    expect(after.safe).not.toMatch(/SECRET-\d/);
    // Texts outside comments are sent to servers.
    for (const { path, value } of after.written.texts)
      if (value.includes('SECRET'))
        expect(['outputs', 'alerts']).toContain(path[0] === 'forms' ? path[2] : path[0]);
  });
  expect(taken).toBeGreaterThan(0);
});
