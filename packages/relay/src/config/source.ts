import { dirname, isAbsolute, join, posix } from 'node:path';
import { ClientError } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import { inTime } from '../base/in_time.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { type Print, printOf } from './print.ts';

/** Where the config comes from. */
export interface ConfigSource {
  /** How problems and logs name it. */
  readonly name: string;
  /** The config's text, or why it cannot be read, in words for the owner. */
  read(): Promise<Result<string, string>>;
  /** The text of a file that the config names, from where the config is; or why it cannot be read. */
  readonly readBeside: ReadBeside;
}

export type ReadBeside = (path: string) => Promise<Result<string, string>>;

type World = Pick<Effects, 'readFile' | 'readObject' | 'now' | 'sleep'>;

/**
 * The first source that the environment sets wins: CONFIG_INLINE, CONFIG_FILE, then the bucket (SPEC: Configuration
 * sources and caching). `undefined` when it sets none.
 */
export function configSource(settings: Settings, world: World): ConfigSource | undefined {
  const { configInline, configFile, configBucket, configKey, configBucketRegion: region } = settings;
  if (configInline !== undefined) return textSource('CONFIG_INLINE', configInline);
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

/** For a relay that was not told where its config is: every load fails and says so. */
export const noSource: ConfigSource = {
  name: 'no config',
  read: async () => err('set CONFIG_FILE, CONFIG_INLINE or CONFIG_BUCKET'),
  readBeside: noneBeside,
};

/** Longer than S3 takes, and short enough for a function's start, which may last 10 s. */
const readMs = 8_000;

interface Bucket {
  readonly bucket: string;
  readonly region: string | undefined;
}

/** After the first read the object is asked for conditionally: an unchanged one is neither sent nor parsed again. */
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

/** Each is a source of its own, asked again and again. */
function sourcesBeside(source: (path: string) => ConfigSource): ReadBeside {
  const known = new Map<string, ConfigSource>();
  return (path) => {
    const one = known.get(path) ?? source(path);
    known.set(path, one);
    return one.read();
  };
}

/** A path that a file names, from where that file is. */
export const beside = (file: string, path: string): string =>
  isAbsolute(path) ? path : join(dirname(file), path);

/** How problems name it. */
export const besideName = (config: string, path: string): string =>
  /^(\/|[a-z]:)/i.test(path) ? path : config.replace(/[^/\\]*$/, '') + path;

/** A file that is younger at the start may be half written. */
const youngMs = 250;
/** Between two readings of a file that changed. A request may wait for it. */
const settleMs = 100;
const mostReadings = 21;

/**
 * A file may be read while somebody writes it, and half a config can be a config: one that lacks an output, and
 * acknowledges what it does not deliver. So a text that is new is read again until two readings agree; at the start only
 * where the file was just written, so that no other start waits (D10).
 */
export function fileSource(path: string, world: Pick<World, 'readFile' | 'now' | 'sleep'>): ConfigSource {
  const { readFile, now, sleep } = world;
  const readOnce = oneAtATime(() => readFile(path));
  let last: Print | undefined;
  return {
    name: path,
    read: async () => {
      let before = last;
      for (let readings = 0; readings < mostReadings; readings += 1) {
        const file = await readOnce();
        if (!file.ok) return file;
        const { text, modifiedAt } = file.value;
        const print = await printOf(text);
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

/** Gives up waiting, not reading: a disk that hangs holds one of Node's few threads, and must not get the others. */
function oneAtATime<T>(read: () => Promise<Result<T, string>>): () => Promise<Result<T, string>> {
  let reading: Promise<Result<T, string>> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return inTime(readMs, reading, () => err(`the file could not be read within ${readMs} ms`));
  };
}
