/** A script that loads `load.ts` from the executable, which loads `entry`, or what the command line asks for. */
export const bootstrap = (entry?: string): string =>
  `process.getBuiltinModule('node:vm').compileFunction(process.getBuiltinModule('node:sea').getAsset('load.cjs','utf8'),['entry','exports'],{filename:'load.cjs'})(${JSON.stringify(entry)},{})`;
