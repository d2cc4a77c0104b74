/** The order of a form's checks, and pages that show a form again. */
import { contact, multipartType, upload } from '../../../test/support/index.ts';

test('a check that accepts does not skip the next: an allowed origin still has a rate limit', async () => {
  const relay = await contact({
    fields: '[{name: name}]',
    keys: 'origins: [https://a.example], rate_limit: 1 per 10m',
  });
  const headers = { origin: 'https://a.example' };
  expect((await relay.submit('contact', 'name=Ada', headers)).status).toBe(200);
  expect((await relay.submit('contact', 'name=Ada', headers)).status).toBe(429);
});

test('a page that shows a form again asks for files again, because browsers forget them', async () => {
  const relay = await contact({
    fields:
      '[{name: name}, {name: cv, type: file, accept: [text/plain]}, {name: email, type: email, required: true}]',
  });
  const again = async (init: RequestInit) => {
    const headers = { accept: 'text/html', ...init.headers };
    const path = '/api/v1/submit/contact?as=page';
    const answer = await relay.request(path, { method: 'POST', ...init, headers });
    expect(answer.status).toBe(422);
    return answer.text;
  };
  const forgotten = 'Please choose the file again';
  const body = upload(100);
  expect(await again({ headers: { 'content-type': multipartType }, body })).toContain(forgotten);
  expect(await again({ body: new URLSearchParams({ name: 'Ann' }) })).not.toContain(forgotten);
});

/** Validation beyond the field types: files, hidden fields, undeclared names. */

async function staged() {
  const form = await contact({
    fields: `[{name: kind}, {name: firm, visible_when: {field: kind, is: company}}, {name: cv, type: file, accept: [txt]},
      {name: why, required: true, visible_when: {field: cv, filled: true}}]`,
    outputs: `[{type: http_post, url: $sink, mapping: {kind: kind, firm: firm, cv: cv, why: why, source: utm_source}}]`,
  });
  const send = async (...parts: readonly (readonly [name: string, value: string | File])[]) => {
    const body = new FormData();
    for (const [name, value] of parts) body.append(name, value);
    const headers = { accept: 'application/problem+json' };
    const answer = await form.request('/api/v1/submit/contact', { method: 'POST', headers, body });
    const errors = (answer.json as { errors?: { field: string; code: string }[] }).errors ?? [];
    return errors.map(({ field, code }) => `${field}: ${code}`);
  };
  const delivered = () => Object.fromEntries(form.delivered.at(-1) ?? []);
  return { send, sink: form.sink, delivered };
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
