/** Mails in reports. The page imports this file, too: it imports nothing but types. */
import type { Sent, SubmissionReport } from '@form-relay/dry-run/report';

export type Mail = Extract<Sent, { kind: 'mail' }>;

/** All mails of a submission, in the order of their addresses. */
export const mailsIn = ({ outputs, mails }: Pick<SubmissionReport, 'outputs' | 'mails'>): readonly Mail[] =>
  [...outputs, ...mails].flatMap(({ sent }) => sent).filter((one) => one.kind === 'mail');

export const mailPath = '/studio/mail/';

/** The address of a mail's HTML. `index`: its place in `mailsIn`. */
export const mailAddress = (number: number, index: number): string => `${mailPath}${number}/${index}`;

/** HTML: the `sandbox` attribute. Links open outside the studio, as they open outside a mail program. */
export const mailSandbox = 'allow-popups allow-popups-to-escape-sandbox';
