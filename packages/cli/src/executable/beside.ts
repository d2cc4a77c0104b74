/** `../beside.ts` of the single executable: everything is in it, and nothing is read from a disk. */
import { getAsset } from 'node:sea';
import { brotliDecompressSync } from 'node:zlib';
import { bootstrap } from './bootstrap.ts';

export const readBeside = async (path: string): Promise<Uint8Array> =>
  brotliDecompressSync(new Uint8Array(getAsset(`${path}.br`)));

export const threadProgram = (name: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(bootstrap(`cli/${name}.cjs`))}`);
