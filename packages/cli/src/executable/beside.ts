/** `../beside.ts` for the single executable, which contains all files and reads none from disk. */
import { getAsset } from 'node:sea';
import { brotliDecompressSync } from 'node:zlib';

export const readBeside = async (path: string): Promise<Uint8Array> =>
  brotliDecompressSync(new Uint8Array(getAsset(`${path}.br`)));

export const threadProgram = (name: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(bootstrap(`cli/${name}.cjs`))}`);

/** A script that loads `load.ts` from the executable, which in turn loads `entry`, or else the command line. */
export const bootstrap = (entry?: string): string =>
  `process.getBuiltinModule('node:vm').compileFunction(process.getBuiltinModule('node:sea').getAsset('load.cjs','utf8'),['entry','exports'],{filename:'load.cjs'})(${JSON.stringify(entry)},{})`;
