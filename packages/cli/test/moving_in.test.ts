import { readdirSync } from 'node:fs';
import { test } from 'vitest';
import { checkTranscript } from './transcript.ts';

/** Forms as those write them who documented each service, or by hand: what `relay init --from` makes of them. */
const folder = new URL('transcripts/moving_in/', import.meta.url);

test.each(readdirSync(folder))('%s', async (name) => {
  await checkTranscript(new URL(name, folder));
});
