/** The order of a form's gates and pages. */
import { expect, test } from 'vitest';
import { contact } from '../../../test/spec/stage.ts';
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
