import { readdirSync } from 'node:fs';
import { onTestFinished, test } from 'vitest';
import { type SinkAnswer, startHttpSink } from '../support/http_sink.ts';
import { checkTranscript } from './transcript.ts';

/** Forms as those write them who documented each service, or by hand: what `relay init --from` makes of them. */
const folder = new URL('transcripts/moving_in/', import.meta.url);

test.each(readdirSync(folder).filter((name) => name !== 'url.txt'))('%s', async (name) => {
  await checkTranscript(new URL(name, folder));
});

const page =
  '<form action="https://formspree.io/f/x" method="post"><input name="_captcha" type="hidden"><input name="größe"></form>';

const answers: Readonly<Record<string, SinkAnswer>> = {
  '/contact': { headers: { 'content-type': 'text/html; charset=utf-8' }, body: page },
  '/away': { status: 301, headers: { location: 'https://www.example.com/contact' } },
};

test('an address on this machine', async () => {
  const { origin, close } = await startHttpSink({ answer: ({ url }) => answers[url] ?? { status: 404 } });
  onTestFinished(close);
  await checkTranscript(new URL('url.txt', folder), {
    env: { SERVER: origin },
    instead: [[origin, 'SERVER']],
  });
});
