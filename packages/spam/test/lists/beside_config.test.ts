/** Where lists are read from, and when again. */
import { expect, test } from 'vitest';
import { relayWith } from '../../../../test/spec/stage.ts';
import { ok } from '../../../base/src/result.ts';

const config = (lists: string) => `
forms:
  contact:
    fields: [{name: message}]
    spam: {doubt: observe, signals: {blocklist: ${lists}}}
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*", on_error: continue}]
`;

test('a config in a bucket has its lists there, which are not sent again while they stay the same', async () => {
  const objects: Record<string, string> = {
    'site/webform.yaml': config('{words: lists/words.txt}'),
    'site/lists/words.txt': 'casino',
  };
  const requests: string[] = [];
  const relay = await relayWith({
    env: { CONFIG_BUCKET: 'bucket', CONFIG_KEY: 'site/webform.yaml' },
    effects: {
      readObject: async ({ key, etag }) => {
        const text = objects[key] ?? '';
        requests.push(`${key} ${etag === text ? 'again' : 'anew'}`);
        return etag === text ? 'not_modified' : { text, etag: text };
      },
      // Nothing is delivered anywhere.
      http: async () => ({ status: 200, headers: {}, body: '' }),
    },
  });
  const points = async () => {
    await relay.submit('contact', [['message', 'Your casino']]);
    const line = relay.logged.findLast(({ event }) => event === 'submission');
    return (line?.signals as Record<string, number> | undefined)?.blocklist;
  };
  expect(await points()).toBe(6);
  relay.advance(30_000);
  expect(await points()).toBe(6);
  objects['site/lists/words.txt'] = 'poker';
  relay.advance(30_000);
  expect(await points()).toBeUndefined();
  expect(requests).toEqual([
    'site/webform.yaml anew',
    'site/lists/words.txt anew',
    'site/webform.yaml again',
    'site/lists/words.txt again',
    'site/webform.yaml again',
    // To see that it changed, and to read it.
    'site/lists/words.txt anew',
    'site/lists/words.txt again',
  ]);
});

test('a list that several forms name is read once, and each of two kinds of it', async () => {
  const read: string[] = [];
  const form = (lists: string) =>
    `{fields: [{name: m}], spam: {doubt: observe, signals: {blocklist: ${lists}}}, outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}`;
  const text = `forms: {a: ${form('{words: l.txt}')}, b: ${form('{words: l.txt}')}, c: ${form('{domains: l.txt}')}}`;
  const { get } = await relayWith({
    env: { CONFIG_FILE: 'webform.yaml' },
    effects: {
      readFile: async (path) => {
        read.push(path);
        return ok({ text: path === 'l.txt' ? 'cheap.example' : text, modifiedAt: 0 });
      },
      sleep: async () => {},
    },
  });
  expect((await get('/readyz')).status).toBe(200);
  expect(read.filter((path) => path === 'l.txt')).toHaveLength(2);
});

/** A relay over a config with a list of these words. */
async function relayOver(words: string) {
  const texts: Record<string, string> = { 'webform.yaml': config('{words: words.txt}'), 'words.txt': words };
  const relay = await relayWith({
    env: { CONFIG_FILE: 'webform.yaml' },
    effects: {
      readFile: async (path) => ok({ text: texts[path] ?? '', modifiedAt: 0 }),
      sleep: async () => {},
    },
  });
  await relay.get('/readyz');
  return relay;
}

test('a mistake in a list is reported with its place there', async () => {
  const { logged } = await relayOver('casino\n\n  ---\n!!\n');
  expect(logged.at(-1)).toMatchObject({
    event: 'config_invalid',
    problems: [
      expect.stringMatching(/^words\.txt:3:3: expected a word or a phrase/),
      expect.stringMatching(/^words\.txt:4:1: expected a word or a phrase/),
    ],
  });
});
