import type { attach } from './files/attach.ts';

/** What forms need whose visitors choose files, from the relay. Packages bring their own (tsdown.config.ts). */
export const loadFiles = (form: string): Promise<{ readonly attach: typeof attach }> =>
  import(new URL('../files.js', form) as unknown as string);
