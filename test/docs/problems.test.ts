/** The manual explains each problem+json code; `type` links to it if the manual has a public address. */
import { homepage } from '../../packages/base/src/version.ts';
import { startRelay } from '../support/relay.ts';
import { anchorsOf, read, source } from './papers.ts';

const page = 'docs/problems.md';
const explained = [...read(page).matchAll(/^### `(\w+)`\n\n(.+)/gm)];

test('every code is explained exactly once, and no others are', () => {
  const codes = explained.map(([, code = '']) => code);
  expect(codes).toEqual([...new Set(codes)]);
  const refused = [...source.matchAll(/(?<![`>] ?kit\.)\brefused\((?:\d{3}|status), '(\w+)'/g)].map(
    ([, code]) => code,
  );
  expect(refused.length).toBeGreaterThan(20);
  expect(codes).toEqual(expect.arrayContaining(refused));
  expect(codes.filter((code) => !source.includes(`'${code}'`))).toEqual([]);
});

test('a problem links to its explanation, below its status', async () => {
  const relay = await startRelay({
    config:
      'forms: {contact: {fields: [{name: email, type: email}], outputs: [{type: http_post, url: "https://crm.example.com/"}]}}',
  });
  const problem = async (path: string, init: RequestInit) => {
    const { status, headers, json } = await relay.request(path, {
      ...init,
      headers: { accept: 'application/problem+json', ...init.headers },
    });
    expect(headers.get('content-type')).toBe('application/problem+json');
    return { httpStatus: status, ...(json as { type: string; status: number; code: string }) };
  };
  const problems = await Promise.all([
    problem('/api/v1/submit/contact', { method: 'POST', body: new URLSearchParams({ email: 'ada' }) }),
    problem('/api/v1/submit/contact', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'text/plain' },
    }),
    problem('/api/v1/submit/nowhere', { method: 'POST', body: new URLSearchParams() }),
    problem('/api/v1/submit/contact', { method: 'GET' }),
    problem('/nowhere', { method: 'GET' }),
  ]);
  await relay.close();

  const text = read(page);
  for (const { httpStatus, type, status, code } of problems) {
    expect(type).toBe(homepage ? `${homepage}problems.html#${code}` : 'about:blank');
    expect(anchorsOf(page)).toContain(code);
    expect(status).toBe(httpStatus);
    const above = text
      .slice(0, text.indexOf(`### \`${code}\``))
      .match(/^## \d.*$/gm)
      ?.at(-1);
    expect(above).toContain(String(status));
  }
});
