/** Mails visitors for other features. */
import type { Message } from '@form-relay/core/messages/message';
import type {} from '@form-relay/core/plugin';
import type { Outcome, Submission } from '@form-relay/core/submission';
import type { Diagnostics } from '@form-relay/schema/diagnostics';

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** For features with `reads: ['visitor_mail']`. */
    readonly visitor_mail: VisitorMails;
  }
}

/** Mails that visitors wait for, such as one with a link. */
export interface VisitorMails {
  /**
   * A mail to the address in a field. Reads the keys of `verification_mail` at `at`, and reports mistakes. Without a
   * `subject` and a `text`, it has the words of the codes `<name>_subject` and `<name>_text`, with `form` and `params`.
   *
   * @param to The name of a field of type `email`.
   */
  open(name: string, to: string, at: Diagnostics): SendVisitorMail | undefined;
}

/**
 * Resolves once the server took the mail; or with the outcome for the visitor, such as that the address had three within the hour. All
 * checks have to come before it, so that no bot mails strangers.
 */
export type SendVisitorMail = (
  submission: Submission,
  mail: {
    readonly button?: { readonly words: string; readonly href: string };
    readonly params?: Message['params'];
  },
) => Promise<Outcome | undefined>;
