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
 * The first source that is set wins: CONFIG_INLINE, CONFIG_FILE, then the bucket (SPEC: Configuration sources and
 * caching). `fallbackFile` is for commands that have a file of their own.
 */
export function configSource(settings: Settings, { readFile }: Effects, fallbackFile?: string): ConfigSource {
  const { configInline, configFile, configBucket } = settings;
  if (configInline !== undefined) return { name: 'CONFIG_INLINE', read: async () => configInline };
  if (configFile !== undefined) return fileSource(configFile, readFile);
  if (configBucket !== undefined) {
    return {
      name: `s3://${configBucket}/${settings.configKey}`,
      read: async () => {
        throw new Error(
          'this version reads configs from CONFIG_INLINE and CONFIG_FILE only, not from a bucket',
        );
      },
    };
  }
  if (fallbackFile !== undefined) return fileSource(fallbackFile, readFile);
  return {
    name: 'no config',
    read: async () => {
      throw new Error('set CONFIG_FILE, CONFIG_INLINE or CONFIG_BUCKET');
    },
  };
}

export function fileSource(path: string, readFile: Effects['readFile']): ConfigSource {
  return {
    name: path,
    read: async () => {
      try {
        return await readFile(path);
      } catch (error) {
        throw new Error(reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'the file cannot be read');
      }
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the file may not be read by this user',
  EISDIR: 'this is a directory, not a file',
};
