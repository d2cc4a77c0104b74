import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openTerminal } from './terminal.ts';

const files = {
  'webform.yaml': `forms:
  contact:
    fields: [{name: name}]
    outputs:
      - {type: http_post, url: "https://example.com/", mapping: {a: nmae}}
`,
  'wrong.yaml': 'forms: {contact: {fields: [{name: name, type: emial}], outputs: []}}\n',
};
const commands = ['relay config validate', 'relay --config wrong.yaml config validate'];

/** `script` gives a command a terminal of its own; elsewhere than on Linux it takes other options. */
const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

const colours = (text: string) => text.includes('\x1b[');

describe.each(commands)('%s', (command) => {
  const printed = async (env: Readonly<Record<string, string>>, line = command) => {
    const { stdout, stderr } = await (await openTerminal({ files, env })).run(line);
    return stdout + stderr;
  };

  test('is plain when it does not print to a terminal', async () => {
    expect(colours(await printed({ TERM: 'xterm-256color' }))).toBe(false);
  });

  test('prints the same words in colour', async () => {
    const plain = await printed({});
    const coloured = await printed({ FORCE_COLOR: '1' });
    expect(colours(coloured)).toBe(true);
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });

  describe.skipIf(!hasScript)('in a terminal', () => {
    const inTerminal = `script -qec '${command}' /dev/null`;

    test('is in colour', async () => {
      expect(colours(await printed({ TERM: 'xterm-256color' }, inTerminal))).toBe(true);
    });
  });
});
