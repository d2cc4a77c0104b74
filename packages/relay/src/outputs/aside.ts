import type { Output } from './output.ts';

/** Whether it gets what `spam.doubt` set aside, or what it did not. */
export const takesAside = ({ aside }: Pick<Output, 'aside'>, isAside: boolean): boolean =>
  aside === 'also' || (aside === 'only') === isAside;
