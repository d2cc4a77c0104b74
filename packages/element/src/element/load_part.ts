import type { attach } from './steps/attach.ts';

/** Loads a part of the script that only some forms need from the relay. In the npm package, tsdown.config.ts replaces this file. */
export const loadPart = (
  name: string,
  form: string,
): Promise<{
  readonly attach: typeof attach;
}> => import(new URL(`../${name}.js`, form) as unknown as string);
