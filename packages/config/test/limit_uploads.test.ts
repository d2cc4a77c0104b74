/** A relay that has room for less than its forms ask for says so to visitors (UPLOAD_BUDGET). */
import { expect, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';

const config = `
languages: [en, de]
forms:
  apply:
    max_body: 5MB
    fields: [{name: cv, label: CV, type: file, max_size: 3MB}, {name: note, label: Note}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
  photo:
    max_body: 600KB
    fields: [{name: photo, label: Photo, type: file, max_size: 512KB}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
  letter:
    fields: [{name: note, label: Note}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`;

async function formsOf(UPLOAD_BUDGET: string) {
  const { get } = await relayWith({ config, env: { UPLOAD_BUDGET } });
  return async (path: string) => {
    const { text } = await get(`/api/v1/form/${path}`);
    const [, size] = /data-max-size="(\d+)"/.exec(text) ?? [];
    const [, limit] = /data-files-limit="(\d+)"/.exec(text) ?? [];
    return { text, size: Number(size), limit: Number(limit) };
  };
}

test('no form asks for larger files than there is room for, in any of its languages', async () => {
  const form = await formsOf('1000000');
  for (const [path, button] of [
    ['apply', 'Send'],
    ['apply?lang=de', 'Senden'],
  ] as const) {
    const { text, size, limit } = await form(path);
    expect(text).toContain(`>${button}</button>`);
    expect(size).toBe(1_000_000);
    // The rest is for what the fields hold.
    expect(limit).toBe(1_000_000 - 65_536);
  }
});

test.each([5 * 2 ** 20, 64_000_000])(
  'with room for %i bytes files may have what the form says',
  async (room) => {
    const form = await formsOf(String(room));
    expect(await form('apply')).toMatchObject({ size: 3 * 2 ** 20, limit: 5 * 2 ** 20 - 65_536 });
  },
);

test('a form whose files fit stays as it is next to one whose files do not', async () => {
  const [little, much] = [await formsOf('1000000'), await formsOf('64000000')];
  expect((await little('letter')).text).toBe((await much('letter')).text);
  expect(await little('photo')).toMatchObject({ size: 512 * 2 ** 10, limit: 540 * 2 ** 10 });
});
