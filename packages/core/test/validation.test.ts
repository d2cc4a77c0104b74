/** Validation beyond the field types: files, hidden fields, undeclared names. */
import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';

async function staged() {
  const sink = await httpSink();
  const relay = await relayWith({
    config: `
forms:
  apply:
    fields:
      - {name: kind}
      - {name: firm, visible_when: {field: kind, is: company}}
      - {name: cv, type: file, accept: [txt]}
      - {name: why, required: true, visible_when: {field: cv, filled: true}}
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: {kind: kind, firm: firm, cv: cv, why: why, source: utm_source}}]`,
  });
  const send = async (...parts: readonly (readonly [name: string, value: string | File])[]) => {
    const body = new FormData();
    for (const [name, value] of parts) body.append(name, value);
    const answer = await relay.request('/api/v1/submit/apply', {
      method: 'POST',
      headers: { accept: 'application/problem+json' },
      body,
    });
    const errors = (answer.json as { errors?: { field: string; code: string }[] }).errors ?? [];
    return errors.map(({ field, code }) => `${field}: ${code}`);
  };
  const delivered = () => Object.fromEntries(new URLSearchParams(sink.requests.at(-1)?.body));
  return { send, sink, delivered };
}

const cv = new File(['Hello'], 'cv.txt');

test('a condition knows whether a file was sent', async () => {
  const { send, sink, delivered } = await staged();
  expect(await send(['cv', cv])).toEqual(['why: missing']);
  expect(sink.requests).toHaveLength(0);
  expect(await send(['cv', cv], ['why', 'Because'])).toEqual([]);
  expect(delivered()).toEqual({ cv: expect.stringContaining('cv.txt'), why: 'Because' });
  expect(await send(['kind', 'private'])).toEqual([]);
  expect(delivered()).toEqual({ kind: 'private' });
});

test('a file that its field does not take, or in a field of text, comes back', async () => {
  const { send, sink } = await staged();
  expect(await send(['cv', new File(['\x89PNG\r\n\x1a\n'], 'cv.png')], ['why', 'x'])).toEqual([
    expect.stringMatching(/^cv: file_/),
  ]);
  expect(await send(['kind', cv])).toEqual(['kind: file_not_expected']);
  expect(sink.requests).toHaveLength(0);
});

test('values of a field that is not shown are not delivered', async () => {
  const { send, delivered } = await staged();
  await send(['kind', 'private'], ['firm', 'Ann & Co']);
  expect(delivered()).toEqual({ kind: 'private' });
  await send(['kind', 'company'], ['firm', 'Ann & Co']);
  expect(delivered()).toEqual({ kind: 'company', firm: 'Ann & Co' });
});
