import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { ClientError } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import { decodedText } from '../base/owners_text.ts';
import { err, ok, type Result } from '../base/result.ts';
import { inTime, yieldToEventLoop } from '../base/soon.ts';
import type { Settings } from '../schema/settings/settings.ts';

export interface ConfigSource {
  /** The source's name in problems and logs. */
  readonly name: string;
  /** The config's text, or the reason for the owner why it cannot be read. */
  read(): Promise<Result<string, string>>;
  /** Reads a file relative to the config. */
  readonly readBeside: ReadBeside;
}

export type ReadBeside = (path: string) => Promise<Result<string, string>>;

type World = Pick<Effects, 'readFile' | 'readObject' | 'now' | 'sleep'>;

/**
 * The first source that the environment sets: CONFIG_INLINE, CONFIG_FILE, or the bucket (SPEC: Configuration sources
 * and caching). `undefined` if it sets none.
 */
export function configSource(settings: Settings, world: World): ConfigSource | undefined {
  const { configInline, configFile, configBucket, configKey, configBucketRegion: region } = settings;
  if (configInline !== undefined) {
    // The environment has been decoded already.
    return { ...textSource('CONFIG_INLINE', configInline), read: async () => decodedText(configInline) };
  }
  if (configFile !== undefined) return fileSource(configFile, world);
  return configBucket === undefined
    ? undefined
    : bucketSource({ bucket: configBucket, region }, configKey, world);
}

export const textSource = (name: string, text: string): ConfigSource => ({
  name,
  read: async () => ok(text),
  readBeside: noneBeside,
});

const noneBeside: ReadBeside = async () =>
  err(
    'a config that is no file has no files beside it; write texts under messages, or set CONFIG_FILE or CONFIG_BUCKET',
  );

/** The source of a relay without a config: every load fails. */
export const noSource: ConfigSource = {
  name: 'no config',
  read: async () => err('set CONFIG_FILE, CONFIG_INLINE or CONFIG_BUCKET'),
  readBeside: noneBeside,
};

/** More than S3 needs, and less than the 10 s in which a function must start. */
const readMs = 8_000;

interface Bucket {
  readonly bucket: string;
  readonly region: string | undefined;
}

/** Later reads are conditional: an unchanged object is neither sent nor parsed again. */
function bucketSource(at: Bucket, key: string, world: World): ConfigSource {
  const { readObject } = world;
  let last: { readonly text: string; readonly etag: string | undefined } | undefined;
  return {
    name: `s3://${at.bucket}/${key}`,
    read: async () => {
      try {
        const read = await readObject({ ...at, key, etag: last?.etag, timeoutMs: readMs });
        if (read !== 'not_modified') last = read;
      } catch (error) {
        if (error instanceof ClientError) return err(error.message);
        throw error;
      }
      return last ? ok(last.text) : err('S3 answered "not modified" to a first read');
    },
    readBeside: sourcesBeside((path) => bucketSource(at, posix.join(posix.dirname(key), path), world)),
  };
}

/** Keeps a source per path, for conditional reads. */
function sourcesBeside(source: (path: string) => ConfigSource): ReadBeside {
  const known = new Map<string, ConfigSource>();
  return (path) => {
    const one = known.get(path) ?? source(path);
    known.set(path, one);
    return one.read();
  };
}

export const beside = (file: string, path: string): string =>
  isAbsolute(path) ? path : join(dirname(file), path);

export const besideName = (config: string, path: string): string =>
  /^(\/|[a-z]:)/i.test(path) ? path : config.replace(/[^/\\]*$/, '') + path;

/** At the start, a younger file may be half written. */
const youngMs = 250;
/** The wait between two reads of a changed file. A request may wait for it. */
const settleMs = 100;
const mostReadings = 21;

/**
 * Reads the file until two reads agree, because somebody may be writing it, and half a config can be valid: it may lack
 * an output and acknowledge submissions that it does not deliver. At the start, it waits only if the file has just been
 * written.
 */
export function fileSource(path: string, world: Pick<World, 'readFile' | 'now' | 'sleep'>): ConfigSource {
  const { readFile, now, sleep } = world;
  const readOnce = oneAtATime(() => readFile(path));
  let last: Fingerprint | undefined;
  return {
    name: path,
    read: async () => {
      let before = last;
      for (let readings = 0; readings < mostReadings; readings += 1) {
        const file = await readOnce();
        if (!file.ok) return file;
        const { text, modifiedAt } = file.value;
        const print = await fingerprintOf(text);
        const isSettled = before === undefined ? Math.abs(now() - modifiedAt) >= youngMs : print === before;
        if (isSettled) {
          last = print;
          return ok(text);
        }
        await sleep(before === undefined ? youngMs : settleMs);
        before = print;
      }
      return err('the file keeps changing');
    },
    readBeside: sourcesBeside((other) => fileSource(beside(path, other), world)),
  };
}

/** Stops waiting, but not reading: a disk that hangs blocks one of Node's few threads, and must not block more. */
function oneAtATime<T>(read: () => Promise<Result<T, string>>): () => Promise<Result<T, string>> {
  let reading: Promise<Result<T, string>> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return inTime(readMs, reading, () => err(`the file could not be read within ${readMs} ms`));
  };
}

/** Identifies a text: the text itself, or the SHA-256 hash of a long one. */
export type Fingerprint = string;

/** Hashing this many characters takes less than 1 ms. */
const sliceCharacters = 262_144;

/** Hashes long texts: a list may have 16 MB, too much to keep twice or to hash at once. */
export async function fingerprintOf(text: string): Promise<Fingerprint> {
  if (text.length <= sliceCharacters) return text;
  const hash = createHash('sha256');
  for (let from = 0; from < text.length; from += sliceCharacters) {
    hash.update(text.slice(from, from + sliceCharacters), 'utf16le');
    await yieldToEventLoop();
  }
  return hash.digest('base64');
}
