import { readdirSync } from 'node:fs';
import { checkTranscript } from './transcript.ts';

// How to read and write them: transcript.ts. Transcripts that need a server stand in folders, each with a test of its
// own.
const folder = new URL('transcripts/', import.meta.url);

test.each(readdirSync(folder).filter((name) => name.endsWith('.txt')))('%s', (name) =>
  checkTranscript(new URL(name, folder)),
);
