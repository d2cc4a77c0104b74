/** Lets other features send mails to visitors. */
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

/** Sends mails that visitors wait for, such as one with a link. */
export interface VisitorMails {
  /**
   * Prepares a mail to the address in a field. Reads the keys of `verification_mail` at `at`, and reports
   * mistakes. Without `subject` and `text`, the mail uses the texts with the codes `<name>_subject` and
   * `<name>_text`, with `form` and `params`.
   *
   * @param to The name of a field of type `email`.
   */
  open(name: string, to: string, at: Diagnostics): SendVisitorMail | undefined;
}

/**
 * Resolves once the server has accepted the mail, or with the outcome for the visitor, for example if the address
 * already got three within an hour. All checks must run earlier, so that bots cannot send mails to strangers.
 */
export type SendVisitorMail = (
  submission: Submission,
  mail: {
    readonly button?: { readonly words: string; readonly href: string };
    readonly params?: Message['params'];
  },
) => Promise<Outcome | undefined>;
