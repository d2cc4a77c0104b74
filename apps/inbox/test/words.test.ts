import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Written } from '../../../packages/stored/test/entries.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { wantedWords, wordsOf } from '../src/index/texts.ts';
import { stage } from './stage.ts';

/** Whether a search matches a text, in both builds of the index. */
function finds(search: string, text: string): boolean {
  const words = wordsOf(text);
  return wantedWords(search).every(({ word, also, isPrefix }) =>
    words.some((each) => (isPrefix ? each.startsWith(word) : each === word) || each === also),
  );
}

describe('a search finds a text', () => {
  test.each([
    ['cafe', 'Café'],
    ['CAFÉ', 'cafe\u0301'],
    ['strasse', 'Große Straße 1'],
    ['istanbul', 'İstanbul'],
    ['orsted', 'Ørsted'],
    ['σοφος', 'ΣΟΦΌΣ'],
    ['hello wor', 'Hello, World!'],
    ['ada@example.org', 'Ada <Ada@Example.ORG>'],
    ['@example.org', 'Ada <Ada@Example.ORG>'],
    ['"ada@example.org"', 'Write to ada@example.org.'],
    ['ada@example.org', 'https://example.org/?to=ada@example.org'],
    ['ada+news@example.org', 'ada+news@example.org, bob@example.org'],
    ["o'neil@mail-1.example.org", "O'Neil@mail-1.example.org"],
    ['info@bücher.example', 'info@xn--bcher-kva.example'],
    ['info@xn--bcher-kva.example', 'info@bücher.example'],
    ['jörg@example.org', 'JÖRG@example.org'],
    ['offer ada@example.org', 'Ada <ada@example.org> asks for an offer'],
    ['1815', 'born in 1815'],
    ['fi', 'ﬁle'],
    ['検索', '全文検索の例'],
    ['全文検', '全文検索'],
    ['검', '검색어'],
    ['ガイド', 'ｶﾞｲﾄﾞ'],
    ['𠮷野', '𠮷野家'],
    ['สวัส', 'สวัสดีครับ'],
    ['नमस्ते', 'नमस्ते दुनिया'],
    ['東京 ada', 'Ada lives in 東京'],
  ])('%s: %s', (search, text) => expect(finds(search, text)).toBe(true));

  test.each([
    ['hell world', 'hello world'],
    ['索検', '全文検索'],
    ['world ada', 'hello world'],
    ['ada@example.org', 'org, example and ada'],
    ['ada@example.org', 'lady.ada@example.org'],
    ['ada@example.org', 'ada+news@example.org'],
    ['"ada@example.org"', 'ada@example.org.evil'],
    ['jorg@example.org', 'jörg@example.org'],
  ])('but not %s: %s', (search, text) => expect(finds(search, text)).toBe(false));
});

test('a search without words matches everything, and encoded data is truncated', () => {
  expect(wantedWords(' "…" ')).toEqual([]);
  expect(wordsOf('x'.repeat(100_000))).toEqual(['x'.repeat(64)]);
  expect(finds('x'.repeat(90), 'x'.repeat(100))).toBe(true);
});

/** Exports over HTTP: what their thread reads, and when it ends. */

const entries = [1, 2, 3].map(
  (nth): Written => ({
    id: `e${nth}`,
    at: `2026-11-2${nth}T10:00:00.000Z`,
    values: { [`field${nth}`]: ['text'] },
  }),
);

describe.each(['csv', 'jsonl'])('an export as %s', (format) => {
  /** The thread's program, which records each document that it opens and stays connected while it runs. */
  async function watched() {
    const folder = tempFolder();
    const server = net.createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const opened = join(folder, 'opened');
    const built = fileURLToPath(new URL('../../../dist/cli/export_worker.cjs', import.meta.url));
    const program = `const fs = require('node:fs');
      const { openSync } = fs;
      fs.openSync = (path, ...more) => {
        if (path.endsWith('.json')) fs.appendFileSync(${JSON.stringify(opened)}, path + '\\n');
        return openSync(path, ...more);
      };
      require('node:net').connect(${(server.address() as AddressInfo).port}, '127.0.0.1').unref();
      require(${JSON.stringify(built)});`;
    await writeFile(join(folder, 'watched.cjs'), program);
    const connected = once(server, 'connection') as Promise<[net.Socket]>;
    return { exportProgram: pathToFileURL(join(folder, 'watched.cjs')), opened, connected };
  }

  test('reads each document once, and then ends its thread', async () => {
    const { exportProgram, opened, connected } = await watched();
    const { ask } = await stage(entries, { exportProgram });
    const [thread] = await Promise.all([connected, ask(`/api/export?format=${format}`)]);
    const paths = (await readFile(opened, 'utf8')).trimEnd().split('\n');
    expect(paths).toHaveLength(3);
    expect(new Set(paths).size).toBe(3);
    if (!thread[0].closed) await once(thread[0].resume(), 'close');
  });
});
