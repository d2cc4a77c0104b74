import { ageInWords } from '@form-relay/relay/base';
import type { OutputStory, Sent, Story } from '@form-relay/relay/telling';

/** What the owner has of a submission, in the words that a scenario ends with. */
export function ownerGot(story: Story): string {
  const got = story.outputs.filter(({ result }) => result === 'delivered').map(withAge);
  const kept = story.outputs.filter(({ result }) => result === 'kept');
  const missed = story.outputs.filter(({ result }) => result === 'failed').map(inWords);
  const not = missed.length > 0 ? `, but not ${either(missed)}` : '';
  const later = kept.length > 0 ? `${both(kept.map(inWords))} ${waits(kept)}` : '';
  if (got.length > 0) return `${both(got)}${not}${later && `; ${later}`}`;
  if (kept.length > 0) return `nothing yet${not}: ${later}`;
  if (story.outputs.length > 0 && missed.length === 0) return 'nothing: no output applies';
  const why: Partial<Record<Story['outcome'], string>> = {
    dropped: ', and no bot learns why: it was answered like everybody else',
    held: ' before the link in the mail is clicked',
    invalid: ' yet',
    expired: ' yet',
    captcha_failed: ' yet',
  };
  return `nothing${why[story.outcome] ?? ''}`;
}

const waits = (kept: readonly OutputStory[]) =>
  kept.some((output) => output.kept?.state === 'aside') ? 'waits for you' : 'is kept';

/** What was kept came later. */
function withAge(output: OutputStory): string {
  const { ageMs = 0 } = output.kept?.tries.at(-1) ?? {};
  return ageMs < 1_000 ? inWords(output) : `${inWords(output)} after ${ageInWords(ageMs)}`;
}

/** What came to the visitor by mail; empty where nothing did. */
export const visitorGot = ({ mails }: Story): string =>
  both(
    mails
      .filter(({ result }) => result === 'sent')
      .flatMap(({ sent }) => sent.at(-1) ?? [])
      .flatMap(mailInWords),
  );

const mailInWords = (sent: Sent) => (sent.kind === 'mail' ? [`a mail to ${both(sent.envelope.to)}`] : []);

function inWords({ type, target, sent }: OutputStory): string {
  const [mail] = sent.flatMap(mailInWords);
  if (mail !== undefined) return mail;
  if (sent.some((one) => one.kind === 'http' && one.says)) return `a message in ${type}`;
  if (sent.some(({ kind }) => kind === 'entry')) return `an entry in ${target}`;
  const host = /^https?:\/\/([^/?#]+)/.exec(target)?.[1];
  return host ? `a request at ${host}` : `something through ${type}`;
}

const list = (word: string) => (parts: readonly string[]) =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`;
const both = list('and');
const either = list('or');
