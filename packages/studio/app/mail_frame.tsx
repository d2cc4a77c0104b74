/** *Try it*, which has no server, puts another module in the place of this one (try/bundle.ts). */
import { mailAddress, mailSandbox, type Scheme } from '../src/mails.ts';

export interface FramedMail {
  /** The story's number, and the mail's place in `mailsIn`. */
  readonly number: number;
  readonly index: number;
  readonly scheme: Scheme;
  readonly title: string;
}

/** The HTML of a mail, on a page of its own. It loads when it comes into view. */
export const MailFrame = ({ number, index, scheme, title }: FramedMail) => (
  <iframe
    title={title}
    class={scheme}
    src={mailAddress(number, index, scheme)}
    sandbox={mailSandbox}
    loading="lazy"
  />
);
