/** The order of a form's gates and pages. */
import { contact, httpSink, relayWith } from '../../../test/support/index.ts';
import { multipartType, upload } from '../../../test/support/uploads.ts';

test('a gate that accepts leaves the next to look, too: a page among the origins may not send without end', async () => {
  const relay = await contact({
    fields: '[{name: name}]',
    outputs:
      '[{type: http_post, url: $sink, mapping: "*"}], origins: [https://a.example], rate_limit: 1 per 10m',
  });
  const headers = { origin: 'https://a.example' };
  expect((await relay.submit('contact', 'name=Ada', headers)).status).toBe(200);
  expect((await relay.submit('contact', 'name=Ada', headers)).status).toBe(429);
});

test('a page that shows a form again asks for the files that browsers forget, where there were any', async () => {
  const relay = await contact({
    fields:
      '[{name: name}, {name: cv, type: file, accept: [text/plain]}, {name: email, type: email, required: true}]',
  });
  const again = async (init: RequestInit) => {
    const headers = { accept: 'text/html', ...init.headers };
    const answer = await relay.request('/api/v1/submit/contact?as=page', {
      method: 'POST',
      ...init,
      headers,
    });
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
