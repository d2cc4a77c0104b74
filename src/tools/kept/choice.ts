import type { Listed } from '../../kept.ts';

/** Which kept deliveries are meant: all of what is left out. */
export interface Choice {
  /** Their own, or their submissions', which are all deliveries of each. */
  readonly ids?: readonly string[] | undefined;
  readonly form?: string | undefined;
  /** Kept at this moment or before; milliseconds since the epoch. */
  readonly before?: number | undefined;
  readonly state?: 'due' | 'aside' | undefined;
}

/** Whether one is meant. `unmet` becomes what of the ids stands for none that was asked about. */
export function chooser({ ids, form, before = Infinity, state }: Choice): {
  readonly isChosen: (one: Listed) => boolean;
  readonly unmet: ReadonlySet<string>;
} {
  const wanted = new Set(ids);
  const unmet = new Set(ids);
  const isNamed = (id: string) => {
    if (ids === undefined) return true;
    const names = [id, submissionOf(id)].filter((name) => wanted.has(name));
    for (const name of names) unmet.delete(name);
    return names.length > 0;
  };
  return {
    unmet,
    isChosen: ({ kept, aside }) =>
      isNamed(kept.id) &&
      (form === undefined || kept.form === form) &&
      kept.keptAt <= before &&
      (state === undefined || (aside === undefined ? 'due' : 'aside') === state),
  };
}

/** What the log and the visitor's answer call it: the place of the output follows it. */
export const submissionOf = (id: string): string => id.replace(/-\d+$/, '');
