import type { Listed } from '@form-relay/relay/base/kept';
import { isSealed } from '@form-relay/relay/keeping/stores/content';

/** Which kept deliveries are meant: all of what is left out. */
export interface Choice {
  /** Their own, or their submissions', which are all deliveries of each. */
  readonly ids?: readonly string[] | undefined;
  readonly form?: string | undefined;
  /** Kept at this moment or before; milliseconds since the epoch. */
  readonly before?: number | undefined;
  readonly state?: 'due' | 'aside' | undefined;
}

/** Whether it waits for its owner: nobody else opens what is sealed. */
const isForOwner = ({ kept, aside }: Listed) => aside !== undefined || isSealed(kept.content);

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
    isChosen: (one) =>
      isNamed(one.kept.id) &&
      (form === undefined || one.kept.form === form) &&
      one.kept.keptAt <= before &&
      (state === undefined || (isForOwner(one) ? 'aside' : 'due') === state),
  };
}

/** What the log and the visitor's answer call it: the place of the output follows it. */
export const submissionOf = (id: string): string => id.replace(/-\d+$/, '');
