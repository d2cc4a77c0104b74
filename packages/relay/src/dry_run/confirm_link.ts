import type { Story } from '../telling/story.ts';

/** What is to be clicked in the mail for which a submission waits, without the relay's origin before it. */
export function confirmLink({ outcome, mails }: Story): string | undefined {
  if (outcome !== 'held') return undefined;
  const texts = mails.flatMap(({ sent }) => sent).map((sent) => (sent.kind === 'mail' ? sent.text : ''));
  return /^https?:\/\/[^\s/]+(\/(?:[\w-]+\/)?api\/v1\/confirm\/\S+)$/m.exec(texts.join('\n'))?.[1];
}
