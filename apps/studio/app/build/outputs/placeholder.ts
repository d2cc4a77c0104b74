import type { Json } from '../../../edit/index.ts';

/** A form needs an output to load: this one stands for it in a new form until the first is chosen. The address never exists. */
export const placeholder: Json = { type: 'http_post', url: 'https://your-server.invalid/', mapping: '*' };

/** Nothing has been chosen yet. */
export const isPlaceholder = (outputs: readonly Json[]): boolean =>
  outputs.length === 1 && JSON.stringify(outputs[0]) === JSON.stringify(placeholder);
