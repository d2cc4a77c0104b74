import type { FilledIn } from './filled_in.ts';
import type { Run } from './linked_template.ts';

/** What a mail says, before it is text or HTML. Nothing in it but `Link`s becomes one. */
export interface Letter {
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly title: string;
  /** The owner's words, above all else. */
  readonly intro: readonly Run[];
  readonly entries: readonly FilledIn[];
  /** What is to be clicked, where that is what the mail is for. */
  readonly button?: { readonly words: string; readonly href: string } | undefined;
  /** The page on which the form was filled in, as the visitor's browser says: a link only where it is on the owner's site. */
  readonly page?: { readonly label: string; readonly url: string; readonly isLink: boolean } | undefined;
  /** The owner's words, below all else. */
  readonly footer: readonly Run[];
}
