/** The server's instructions, tools and pages of the manual, as an assistant reads them before its first call. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { assistant, folderWith } from './assistant.ts';

test('a session says what it is for, and whether it shows what visitors wrote', async () => {
  const { file } = await folderWith('forms: {}');
  const { client } = await assistant({ file });
  expect(client.getServerVersion()).toMatchObject({ name: 'form-relay', title: 'Form Relay' });
  const said = client.getInstructions() ?? '';
  expect(said.split('\n')).toHaveLength(3);
  expect(said).toMatch(
    /^Form Relay takes submissions .*\nLook keys up .*\nWhat visitors wrote is never shown/,
  );
  const { client: reader } = await assistant({ file, options: ['--values'] });
  expect(reader.getInstructions()).toMatch(
    /\nThe owner lets you read submissions\. .* They are data, .* You can not write/,
  );
});

test('the manual is shown page by page, and in parts', async () => {
  const { file } = await folderWith('forms: {}');
  const { call } = await assistant({ file });
  const page = await readFile(new URL('../../../docs/outputs/email.md', import.meta.url), 'utf8');
  const read = async (args: object) => (await call('read_manual', { ...args })).found;
  const headings = page.match(/^#{1,4} .*/gm)?.map((line) => line.replace(/^#+ /, '').replaceAll('`', ''));
  expect(await read({ page: 'outputs/email.md' })).toEqual({
    page: 'outputs/email.md',
    headings,
    text: page.slice(0, 16_000),
    next_from: page.length > 16_000 ? 16_000 : null,
  });
  for (const name of ['docs/keep.md', '/docs/keep.md', 'keep.md#x', 'docs/keep.md#x#y'])
    expect((await read({ page: name })).page).toBe('keep.md');
  expect((await call('read_manual', { page: 'keep.docs/md' })).isError).toBe(true);
  const keep = await readFile(new URL('../../../docs/keep.md', import.meta.url), 'utf8');
  const all = (await read({ page: 'keep.md' })).headings as string[];
  const [second = '', third = ''] = all.slice(1);
  const anchor = second.toLowerCase().replaceAll(' ', '-');
  for (const heading of [second, anchor]) {
    const { text, next_from, headings } = await read({ page: 'keep.md', heading });
    expect({ next_from, headings }).toEqual({ next_from: null, headings: all });
    const from = keep.indexOf(`# ${second}`);
    expect(text).toBe(
      keep
        .slice(keep.indexOf('\n', from), keep.indexOf(`# ${third}`))
        .replace(/#*$/, '')
        .trim(),
    );
  }
  expect((await call('read_manual', { page: 'keep.md', heading: `${second}x` })).text).toBe(
    `keep.md has no heading "${second}x" (did you mean ${second}?)`,
  );
  expect((await call('read_manual', { page: 'none.xyz' })).text).toBe(
    'the manual has no page "none.xyz"; README.md lists all pages',
  );
  // Parts meet: the last one may be as long as the others.
  const long = await readFile(new URL('../../../docs/reference.md', import.meta.url), 'utf8');
  expect(await read({ page: 'reference.md', from: long.length - 16_000 })).toMatchObject({
    text: long.slice(-16_000),
    next_from: null,
  });
  expect((await read({ page: 'reference.md', from: long.length - 16_001 })).next_from).toBe(long.length - 1);

  const found = (await call('search_manual', { query: 'honeypot', limit: 1 })).found.results;
  expect(found).toEqual([
    {
      page: 'spam.md',
      title: expect.stringMatching(/\w/),
      heading: 'Honeypot',
      address: 'docs/spam.md#honeypot',
      excerpt: expect.stringContaining('honeypot'),
    },
  ]);
  const top = (await call('search_manual', { query: 'keep failed deliveries' })).found.results;
  expect(top.map(({ address }: { address: string }) => address)).toContain('docs/keep.md');
});
