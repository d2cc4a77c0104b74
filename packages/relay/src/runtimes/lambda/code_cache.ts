/**
 * The function's code with V8's code cache (D45): what V8 made of it in an earlier process of the very same Node, in files
 * beside it. Where none fits, the code is loaded as any other.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';

/** The files that every cold start reads, in the order in which they run: the last requires those before. */
export const codeFiles = ['shared.cjs', 'main.cjs'] as const;

/** The index of the caches that this Node wrote, beside the code. */
export const indexFile = (directory: string): string =>
  join(directory, `code_cache_${process.version}_${process.arch}.json`);

/** The caches that one Node wrote. All checksums are CRC-32. */
export interface CacheIndex {
  /** The checksum of each file of the code. */
  readonly sources: readonly number[];
  /** One for each set of V8's flags that it was written with. */
  readonly caches: readonly CacheEntry[];
}

interface CacheEntry {
  /** The cache of `probeSource`, in base64: V8 rejects it in a process that the whole does not fit. */
  readonly probe: string;
  /** Beside the code; it holds the caches of all files of the code, one after the other. */
  readonly file: string;
  readonly sizes: readonly number[];
  readonly checksum: number;
}

export const probeSource = '0';

interface CachedFile {
  readonly name: string;
  readonly script: Script;
}

/** Runs the code and gives what its last file exports. Throws what it throws. */
export function loadWithCodeCache(directory: string, require: NodeJS.Require): unknown {
  for (const { name, script } of readCached(directory) ?? []) {
    if (script.cachedDataRejected) break;
    runFile(directory, name, script, require);
  }
  return require(`./${codeFiles.at(-1)}`);
}

/** Runs a file of the code; then `require` knows it. */
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
 * `undefined` where no cache fits. V8 itself checks that its version, flags and built-ins are those that wrote a cache; but
 * it trusts the bytes, and of the source it looks at nothing but the length. So both are checked before.
 */
export function readCached(directory: string): readonly CachedFile[] | undefined {
  try {
    const [checksum, text = ''] = readFileSync(indexFile(directory), 'latin1').split('\n');
    // Read here, since it takes 1 ms, which those without a cache need not pay.
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
