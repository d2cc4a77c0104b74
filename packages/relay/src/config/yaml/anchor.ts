import type { Event } from 'js-yaml';

/** The name of an anchor or an alias; empty without one, where both offsets are the same. */
export const anchorOf = (text: string, event: Event): string =>
  'anchorStart' in event ? text.slice(event.anchorStart, event.anchorEnd) : '';
