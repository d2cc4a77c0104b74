/** A remark for the owner about a config that was made from a page. */
export interface Remark {
  /** `to_do`: the page does not say it, and the owner must. `note`: it was left out, or is said otherwise. */
  readonly kind: 'to_do' | 'note';
  readonly text: string;
  /** The keys of the field that it claims, with `|` between them. A remark goes with a key that the config refuses. */
  readonly key?: string;
}

export const toDo = (text: string): Remark => ({ kind: 'to_do', text });
export const note = (text: string): Remark => ({ kind: 'note', text });
export const when = (isSo: boolean, remark: Remark): readonly Remark[] => (isSo ? [remark] : []);
