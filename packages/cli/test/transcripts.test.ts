import { readdirSync } from 'node:fs';
import { checkTranscript } from './transcript.ts';

// For how to read and write transcripts, see transcript.ts. Transcripts that need a server are in folders, each with its own test.
const folder = new URL('transcripts/', import.meta.url);

test.each(readdirSync(folder).filter((name) => name.endsWith('.txt')))('%s', (name) =>
  checkTranscript(new URL(name, folder)),
);
