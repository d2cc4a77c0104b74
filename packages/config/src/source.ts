import { dirname, isAbsolute, join, posix } from 'node:path';
import { ClientError } from '@form-relay/base/client_error';
import { memoized } from '@form-relay/base/maybe_promise';
import { decodedText } from '@form-relay/base/owners_text';
import { err, ok, type Result } from '@form-relay/base/result';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import type { ReadText } from '@form-relay/yaml/config_text';

export interface ConfigSource {
  /** The source's name in problems and logs. */
  readonly name: string;
  /**
   * The folder of the plug-ins that the config names. Only set if the config's author can put code on this
   * machine anyway; otherwise, the config may name none.
   */
  readonly pluginFolder?: string;
  /** A folder with a config for each client. The config itself is the operator's. */
  readonly clients?: string;
  /** Reads the config's text, or returns why it cannot be read, in words for the owner. */
  read(): Promise<Result<string, string>>;
  /** Reads a file by its path relative to the config. */
  readonly readSibling: ReadText;
}

type SourceServices = Pick<Services, 'readFile' | 'readObject' | 'now' | 'sleep'>;

/** Where an embedding program or a command reads the config from. */
export interface SourceOptions {
  /** Overrides every other source. */
  readonly source?: ConfigSource | undefined;
  /** The config as YAML text. Overrides all sources except `source`. */
  readonly config?: string;
  /** The path of the config. Overrides the environment. */
  readonly configFile?: string;
  /** The path of the config, if the environment names no source. */
  readonly fallbackConfigFile?: string;
}

/** The source in the options, or else in the environment. */
export function sourceFor(
  { source, config, configFile, fallbackConfigFile }: SourceOptions,
  settings: Settings,
  services: SourceServices,
): ConfigSource {
  if (source) return source;
  if (config !== undefined) return textSource('config', config);
  if (configFile !== undefined) return fileSource(configFile, services);
  const named = configSource(settings, services);
  if (named || fallbackConfigFile === undefined) return named ?? noSource;
  return fileSource(fallbackConfigFile, services);
}

/**
 * The first source that the environment sets: CONFIG_INLINE, CONFIG_FILE, or the bucket (SPEC: Configuration sources
 * and caching). `undefined` if it sets none.
 */
export function configSource(settings: Settings, services: SourceServices): ConfigSource | undefined {
  const { configInline, configFile, configBucket, configKey: key, configBucketRegion: region } = settings;
  // Node has already decoded the environment.
  if (configInline !== undefined)
    return { ...textSource('CONFIG_INLINE', configInline), read: async () => decodedText(configInline) };
  if (configFile !== undefined) return fileSource(configFile, services);
  return configBucket === undefined
    ? undefined
    : bucketSource({ bucket: configBucket, key, region }, services);
}

export const textSource = (name: string, text: string): ConfigSource => ({
  name,
  read: async () => ok(text),
  readSibling: noSiblings,
});

const noSiblings: ReadText = async () =>
  err(
    'this config is not a file, so it cannot refer to files beside it; write texts under messages, or set CONFIG_FILE or CONFIG_BUCKET',
  );

/** The source if there is no config: every load fails. */
export const noSource: ConfigSource = {
  name: 'no config',
  read: async () => err('set CONFIG_FILE, CONFIG_INLINE or CONFIG_BUCKET'),
  readSibling: noSiblings,
};

/** More than S3 needs, but less than the 10 s in which a function must start. */
const readMs = 8_000;

/** Later reads are conditional, so that an unchanged object is neither sent nor parsed again. */
function bucketSource(
  object: { readonly bucket: string; readonly key: string; readonly region: string | undefined },
  services: SourceServices,
): ConfigSource {
  const { bucket, key } = object;
  let last: { readonly text: string; readonly etag: string | undefined } | undefined;
  return {
    name: `s3://${bucket}/${key}`,
    read: async () => {
      try {
        const read = await services.readObject({ ...object, etag: last?.etag, timeoutMs: readMs });
        if (read !== 'not_modified') last = read;
      } catch (error) {
        if (error instanceof ClientError) return err(error.message);
        throw error;
      }
      return last ? ok(last.text) : err('S3 answered "not modified" to a first read');
    },
    readSibling: siblings((path) =>
      bucketSource({ ...object, key: posix.join(posix.dirname(key), path) }, services),
    ),
  };
}

/** Caches a source per path, for conditional reads. */
function siblings(source: (path: string) => ConfigSource): ReadText {
  const sourceOf = memoized(source);
  return (path) => sourceOf(path).read();
}

/** The path of a file that a config names: relative to the config, or absolute. */
export const siblingPath = (config: string, path: string): string =>
  isAbsolute(path) ? path : join(dirname(config), path);

/** At the start, a file that was written more recently than this may be incomplete. */
const youngMs = 250;
/** The delay between two reads of a changed file, for which a request may wait. */
const settleMs = 100;
const mostReadings = 21;

/**
 * Reads the file until two reads agree, because it may still be written, and half a config can be valid:
 * without one of its outputs, it would acknowledge submissions and not deliver them. At the start, waits only
 * if the file has just been written.
 */
export function fileSource(
  path: string,
  services: Pick<SourceServices, 'readFile' | 'now' | 'sleep'>,
): ConfigSource {
  const { readFile, now, sleep } = services;
  const readOnce = oneAtATime(() => readFile(path));
  let last: string | undefined;
  return {
    name: path,
    pluginFolder: dirname(path),
    read: async () => {
      let before = last;
      for (let readings = 0; readings < mostReadings; readings += 1) {
        const file = await readOnce();
        if (!file.ok) return file;
        const { text, modifiedAt } = file.value;
        const isSettled = before === undefined ? Math.abs(now() - modifiedAt) >= youngMs : text === before;
        if (isSettled) {
          last = text;
          return ok(text);
        }
        await sleep(before === undefined ? youngMs : settleMs);
        before = text;
      }
      return err('the file keeps changing');
    },
    readSibling: siblings((other) => fileSource(siblingPath(path, other), services)),
  };
}

/** Stops waiting, but the read continues: a hanging disk blocks one of Node's few threads, and must not block more. */
function oneAtATime<T>(read: () => Promise<Result<T, string>>): () => Promise<Result<T, string>> {
  let reading: Promise<Result<T, string>> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return withTimeout(readMs, reading, () => err(`the file could not be read within ${readMs} ms`));
  };
}
