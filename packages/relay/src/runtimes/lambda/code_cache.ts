/**
 * Loads the function's code with V8's code cache, which an earlier process of the same Node has written beside it. If
 * none fits, the code is loaded like any other.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';

/** The files that every cold start reads, in the order in which they run: the last requires the others. */
export const codeFiles = ['shared.cjs', 'main.cjs'] as const;

/** The index of the caches that this Node wrote, beside the code. */
export const indexFile = (directory: string): string =>
  join(directory, `code_cache_${process.version}_${process.arch}.json`);

/** The caches that one Node wrote. All checksums are CRC-32. */
export interface CacheIndex {
  /** The checksum of each file of the code. */
  readonly sources: readonly number[];
  /** A cache for each set of V8 flags. */
  readonly caches: readonly CacheEntry[];
}

interface CacheEntry {
  /** The cache of `probeSource`, in base64: V8 rejects it in a process that the cache doesn't fit. */
  readonly probe: string;
  /** A file beside the code with the caches of all its files. */
  readonly file: string;
  readonly sizes: readonly number[];
  readonly checksum: number;
}

export const probeSource = '0';

interface CachedFile {
  readonly name: string;
  readonly script: Script;
}

/** Runs the code and returns the exports of its last file. Throws its errors. */
export function loadWithCodeCache(directory: string, require: NodeJS.Require): unknown {
  for (const { name, script } of readCached(directory) ?? []) {
    if (script.cachedDataRejected) break;
    runFile(directory, name, script, require);
  }
  return require(`./${codeFiles.at(-1)}`);
}

/** Runs a file of the code and adds it to `require.cache`. */
export function runFile(directory: string, name: string, script: Script, require: NodeJS.Require): void {
  const path = join(directory, name);
  const module = { exports: {}, loaded: true } as NodeJS.Module;
  script.runInThisContext()(module.exports, require, module, path, directory);
  require.cache[path] = module;
}

const wrapper = ['(function (exports, require, module, __filename, __dirname) {', '\n})'] as const;

/** A file of the code, as Node compiles it. */
export function compile(directory: string, name: string, source: Buffer, cachedData?: Buffer): Script {
  return new Script(wrapper[0] + source.toString('latin1') + wrapper[1], {
    filename: join(directory, name),
    columnOffset: -wrapper[0].length,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData && { cachedData }),
  });
}

/**
 * `undefined` if no cache fits. V8 itself checks its version, flags and built-ins, but it trusts the bytes, and compares only
 * the length of the source. So checksums of both are checked first.
 */
export function readCached(directory: string): readonly CachedFile[] | undefined {
  try {
    const [checksum, text = ''] = readFileSync(indexFile(directory), 'latin1').split('\n');
    // Loading zlib takes 1 ms, which functions without a cache don't need.
    const { crc32 } = process.getBuiltinModule('node:zlib');
    if (Number(checksum) !== crc32(text)) return undefined;
    const { sources, caches }: CacheIndex = JSON.parse(text);
    const entry = caches.find(({ probe }) => isAccepted(Buffer.from(probe, 'base64')));
    if (!entry) return undefined;
    const code = codeFiles.map((name) => readFileSync(join(directory, name)));
    if (code.some((source, index) => crc32(source) !== sources[index])) return undefined;
    const data = readFileSync(join(directory, entry.file));
    if (crc32(data) !== entry.checksum) return undefined;
    let end = 0;
    return codeFiles.map((name, index) => {
      const start = end;
      end += entry.sizes[index] ?? 0;
      return { name, script: compile(directory, name, code[index] as Buffer, data.subarray(start, end)) };
    });
  } catch {
    // No cache was written for this Node, or it cannot be read.
    return undefined;
  }
}

const isAccepted = (cachedData: Buffer): boolean =>
  new Script(probeSource, { cachedData }).cachedDataRejected === false;
