import { expect, onTestFinished, test, vi } from 'vitest';
import { fetchPage } from '../../packages/cli/src/read_page.ts';
import { type SinkAnswer, startHttpSink } from '../support/http_sink.ts';
import { checkTranscript } from './transcript.ts';

const page = '<form action="/api/v1/submit/contact" method="post"><input name="größe"></form>';
const html = { 'content-type': 'text/html; charset=utf-8' };

const answers: Readonly<Record<string, SinkAnswer>> = {
  '/contact': { headers: html, body: page },
  '/moved': { status: 302, headers: { location: '/contact' } },
  '/away': { status: 301, headers: { location: 'https://www.example.com/contact' } },
  '/around': { status: 307, headers: { location: '/around' } },
  '/data': { headers: { 'content-type': 'application/json' }, body: '{}' },
  '/large': { headers: html, body: page.padEnd(5_000_001) },
  '/latin1': {
    headers: { 'content-type': 'text/html; charset=ISO-8859-1' },
    body: Buffer.from(page, 'latin1'),
  },
};

test('an address on this machine', async () => {
  const { origin, close } = await startHttpSink({ answer: ({ url }) => answers[url] ?? { status: 404 } });
  onTestFinished(close);
  await checkTranscript(new URL('transcripts/check/url.txt', import.meta.url), {
    env: { SERVER: origin },
    instead: [[origin, 'SERVER']],
  });
});

test('a page that does not come is waited for five seconds', async () => {
  const { origin, close } = await startHttpSink({ answer: () => new Promise(() => {}) });
  onTestFinished(close);
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
  onTestFinished(() => timeout.mockRestore());
  await expect(fetchPage(new URL(origin))).rejects.toThrow('no answer within 5 s');
  expect(timeout).toHaveBeenCalledWith(5_000);
});
