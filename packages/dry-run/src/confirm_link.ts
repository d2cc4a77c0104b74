import type { SubmissionReport } from './report.ts';

/** The confirmation link in the mail for a held submission, without the relay's origin. */
export function confirmLink({ outcome, mails }: SubmissionReport): string | undefined {
  if (outcome !== 'held') return undefined;
  const texts = mails.flatMap(({ sent }) => sent).map((sent) => (sent.kind === 'mail' ? sent.text : ''));
  return /^https?:\/\/[^\s/]+(\/(?:[\w-]+\/)?api\/v1\/confirm\/\S+)$/m.exec(texts.join('\n'))?.[1];
}
