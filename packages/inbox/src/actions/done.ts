import type { ActionDone } from '../api.ts';

export const done = (words: string): ActionDone => ({ isDone: true, words });

/** @param why Without a full stop. */
export const refused = (why: string): ActionDone => ({
  isDone: false,
  words: `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
});
