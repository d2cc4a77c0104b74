import type { Effects } from '../effects.ts';
import type { Settings } from '../settings.ts';

/** Where the config comes from. */
export interface ConfigSource {
  /** How problems and logs name it. */
  readonly name: string;
  /** Rejects when the text cannot be had; the message says why, for the operator. */
  read(): Promise<string>;
}

/**
 * The first source that the environment sets wins: CONFIG_INLINE, CONFIG_FILE, then the bucket (SPEC: Configuration
 * sources and caching). `undefined` when it sets none.
 */
export function configSource(
  settings: Settings,
  effects: Pick<Effects, 'readFile' | 'readObject'> & Partial<Pick<Effects, 'sleep'>>,
): ConfigSource | undefined {
  const { configInline, configFile, configBucket, configKey } = settings;
  if (configInline !== undefined) return textSource('CONFIG_INLINE', configInline);
  if (configFile !== undefined) return fileSource(configFile, effects.readFile, effects.sleep);
  return configBucket === undefined ? undefined : bucketSource(configBucket, configKey, effects.readObject);
}

export const textSource = (name: string, text: string): ConfigSource => ({ name, read: async () => text });

/** For a relay that nobody told where its config is: it says so at every load. */
export const noSource: ConfigSource = {
  name: 'no config',
  read: async () => {
    throw new Error('set CONFIG_FILE, CONFIG_INLINE or CONFIG_BUCKET');
  },
};

/** Longer than S3 takes, and short enough for a function's start, which may last 10 s. */
const firstReadMs = 8_000;
/** Visitors wait for it, while there is a config that serves (D10). */
const refreshMs = 3_000;

/** After the first read the object is asked for conditionally: an unchanged one is neither sent nor parsed again. */
function bucketSource(bucket: string, key: string, readObject: Effects['readObject']): ConfigSource {
  let last: { readonly text: string; readonly etag: string | undefined } | undefined;
  return {
    name: `s3://${bucket}/${key}`,
    read: async () => {
      const timeoutMs = last ? refreshMs : firstReadMs;
      const read = await readObject({ bucket, key, etag: last?.etag, timeoutMs });
      if (read !== 'not_modified') last = read;
      if (!last) throw new Error('S3 answered "not modified" to a first read');
      return last.text;
    },
  };
}

/** Gives up waiting, not reading: a disk that hangs holds one of Node's few threads, and must not get the others. */
function impatient(read: () => Promise<string>): () => Promise<string> {
  let reading: Promise<string> | undefined;
  let timeoutMs = firstReadMs;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(reject, timeoutMs, new Error(`the file could not be read within ${timeoutMs} ms`));
    });
    return Promise.race([reading, late]).finally(() => {
      timeoutMs = refreshMs;
      clearTimeout(timer);
    });
  };
}

/** How long a file that changed must stay the same. */
const settleMs = 100;

/**
 * A file may be read while somebody writes it, and half a config can be a config: one that lacks an output, and
 * acknowledges what it does not deliver. So a text that is new is read again, until two readings agree; not the first
 * one, so that no start waits. Without `sleep` every reading counts: for commands, which read once.
 */
export function fileSource(
  path: string,
  readFile: Effects['readFile'],
  sleep?: Effects['sleep'],
): ConfigSource {
  let last: string | undefined;
  const readOnce = () => readOrExplain(path, readFile);
  const readText = sleep ? impatient(readOnce) : readOnce;
  return {
    name: path,
    read: async () => {
      let text = await readText();
      for (let changes = 0; sleep && last !== undefined && text !== last; changes += 1) {
        if (changes === 20) throw new Error('the file keeps changing');
        last = text;
        await sleep(settleMs);
        text = await readText();
      }
      last = text;
      return text;
    },
  };
}

async function readOrExplain(path: string, readFile: Effects['readFile']): Promise<string> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new Error(whyUnreadable(error));
  }
}

export const whyUnreadable = (error: unknown): string =>
  reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'the file cannot be read';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the file may not be read by this user',
  EISDIR: 'this is a directory, not a file',
};
