import type { Services } from '@form-relay/core/index';
import { ClientError, sliced, withTimeout } from '@form-relay/core/kit';
import type { JournalLine, JournalPlace } from './lines.ts';

export interface Journal {
  /** Queues a line, or counts it as lost. Never throws or waits. */
  write(line: JournalLine): void;
  /** Writes all queued lines now; on failure they stay queued. Never rejects. */
  flush(): Promise<void>;
  /** Writes the rest. What cannot be written is lost, and logged. */
  close(): Promise<void>;
}

/** Lines are written in groups: an object in a bucket costs more than an append. */
const lingerMs = { folder: 100, s3: 1_000 };
const retryMs = 1_000;
const timeoutMs = 10_000;

/** The limit of lines that wait, and the size from which a group waits no longer, in bytes. */
const mostBytes = 1_048_576;
const enoughBytes = 262_144;

/** Strings that wait are copied by the garbage collector, again and again. Bytes are not. */
const chunkCharacters = 8_192;

/** How often a failure that lasts is logged. */
const toldEveryMs = 60_000;

interface Group {
  readonly day: string;
  readonly number: number;
  readonly content: Buffer;
  readonly lines: number;
}

/** Opens a journal for one process, which writes files of its own. */
export function openJournal(place: JournalPlace, services: Services): Journal {
  const writer = services.uuid().replaceAll('-', '').slice(0, 12);
  let waiting = 0;
  let latest = '';
  let chunks: Buffer[] = [];
  let chunkBytes = 0;
  /** The group that is being written. After a failure the same one is tried again, under the same name. */
  let group: Group | undefined;
  let groups = 0;
  let lost = 0;
  let toldAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<boolean> | undefined;

  const tell = (reason: string, isLast = false) => {
    const now = services.now();
    // Keep reporting after the clock is set back.
    if (!isLast && now >= toldAt && now - toldAt < toldEveryMs) return;
    toldAt = now;
    services.log('error', 'journal_failed', {
      reason,
      ...(lost > 0 && { lines_lost: lost }),
    });
    lost = 0;
  };

  const store = async ({ day, number, content }: Group) => {
    if (place.kind === 'folder') {
      const { appendLines } = await import('./folder.ts');
      await appendLines(place.path, `${day}-${writer}.jsonl`, content);
      return;
    }
    const path = `${day}/${writer}-${String(number).padStart(6, '0')}.jsonl`;
    const object = { path, type: 'application/jsonl', content: sliced(content) };
    const { createPutObject } = await import('@form-relay/clients/aws/s3_request');
    const put = createPutObject(await services.aws());
    await put({ bucket: place.bucket, key: place.prefix + path, object, timeoutMs });
  };

  const packLatest = () => {
    const chunk = Buffer.from(latest);
    chunks.push(chunk);
    chunkBytes += chunk.length;
    latest = '';
  };

  /** Writes the next group. Resolves with whether it was written, or nothing waited. */
  const writeNext = async (): Promise<boolean> => {
    if (!group) {
      if (waiting === 0) return true;
      packLatest();
      const [day = ''] = new Date(services.now()).toISOString().split('T');
      group = { day, number: groups, content: Buffer.concat(chunks), lines: waiting };
      groups += 1;
      waiting = 0;
      chunks = [];
      chunkBytes = 0;
    }
    try {
      await store(group);
    } catch (error) {
      tell(error instanceof ClientError ? error.message : 'internal error');
      return false;
    }
    group = undefined;
    if (lost > 0) tell('it is written again');
    return true;
  };

  const begin = (): Promise<boolean> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeNext().then((isWritten) => {
      writing = undefined;
      if (!isWritten) timer ??= setTimeout(() => void begin(), retryMs).unref();
      else if (waiting > 0) wait();
      return isWritten;
    });
    return writing;
  };

  const wait = () => {
    if (writing !== undefined) return;
    if (chunkBytes > enoughBytes && !group) void begin();
    else timer ??= setTimeout(() => void begin(), lingerMs[place.kind]);
  };

  const flush = async () => {
    // A group under way may have begun before the latest lines.
    await writing;
    while (group || waiting > 0) if (!(await begin())) return;
  };

  return {
    write(line) {
      const text = `${JSON.stringify(line)}\n`;
      if (chunkBytes + latest.length + (group?.content.length ?? 0) + text.length > mostBytes) {
        lost += 1;
        tell('lines come faster than they can be written');
        return;
      }
      waiting += 1;
      latest += text;
      if (latest.length > chunkCharacters) packLatest();
      wait();
    },
    flush,
    async close() {
      // A disk that hangs must not keep the process from ending.
      await withTimeout(timeoutMs, flush(), () => {});
      clearTimeout(timer);
      lost += waiting + (group?.lines ?? 0);
      if (lost > 0) tell('the relay stops before they are written', true);
    },
  };
}
