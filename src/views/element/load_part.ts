import type { attach } from './files/attach.ts';

/** What some forms need beyond this script, from the relay: files.js, guard.js. Packages bring their own (tsdown.config.ts). */
export const loadPart = (
  name: 'files' | 'guard',
  form: string,
): Promise<{
  readonly attach: (...given: [...Parameters<typeof attach>, send: typeof fetch]) => typeof fetch;
}> => import(new URL(`../${name}.js`, form) as unknown as string);
