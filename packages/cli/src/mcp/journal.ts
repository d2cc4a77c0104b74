/** The lines of a journal from a day on, in no order. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError, type JournalLine } from '@form-relay/relay/base';
import type { Config } from '@form-relay/relay/config';
import { createBucketReader, ownAws } from '@form-relay/relay/transports';
import { readLine } from '@form-relay/stored/journal/read_line';
import { CommandFailed } from '../command_failed.ts';

type Place = NonNullable<Config['journal']>['in'];

const dayMs = 86_400_000;

/** A group of lines is 256 KB, or a little more. */
const mostObjectBytes = 16 * 1_048_576;

export async function* journalLines(place: Place, since: number): AsyncGenerator<JournalLine> {
  // A submission that came in before midnight may be answered after it.
  const day = new Date(since - dayMs).toISOString().slice(0, 10);
  for await (const text of place.kind === 'folder' ? inFolder(place.path, day) : inBucket(place, day)) {
    const line = readLine(text);
    if (line) yield line;
  }
}

async function* inFolder(folder: string, day: string): AsyncGenerator<string> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new CommandFailed(`${folder}: the journal cannot be read (${error.code})`);
  });
  for (const name of names.filter((one) => /^\d{4}-\d\d-\d\d-.+\.jsonl$/.test(one) && one >= day)) {
    const file = createReadStream(join(folder, name));
    try {
      yield* createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY });
    } catch (error) {
      // Files of days that are over go by themselves, and a folder is none of them.
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!['ENOENT', 'EISDIR'].includes(code))
        throw new CommandFailed(`${join(folder, name)}: the journal cannot be read (${code})`);
    } finally {
      file.destroy();
    }
  }
}

async function* inBucket(
  { bucket, prefix }: Extract<Place, { kind: 's3' }>,
  day: string,
): AsyncGenerator<string> {
  const { env } = process;
  const aws = ownAws((name) => env[name], Date.now);
  const reader = createBucketReader(aws, { sleep, random: Math.random }, bucket);
  try {
    for await (const { keys } of reader.list(prefix, prefix + day)) {
      for (const key of keys.filter((one) => one.endsWith('.jsonl'))) {
        const bytes = await reader.read(key, mostObjectBytes);
        if (bytes.ok) yield* bytes.value.toString().split('\n');
      }
    }
  } catch (error) {
    throw error instanceof ClientError ? new CommandFailed(error.message) : error;
  }
}
