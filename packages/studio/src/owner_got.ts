import { ageInWords, reservedHostIn } from '@form-relay/relay/base';
import type { OutputStory, Sent, Story } from '@form-relay/relay/telling';

/** Why nobody has what the studio pretends to deliver; `undefined` if somebody has, or nothing was delivered. */
export function nowhere({ outcome, outputs }: Story): string | undefined {
  const hosts = outputs
    .filter(({ result }) => result === 'delivered')
    .map(({ target }) => reservedHostIn(target));
  return outcome === 'delivered' &&
    hosts[0] !== undefined &&
    hosts.every((host) => host?.endsWith('.invalid'))
    ? `no server is called ${hosts[0]}`
    : undefined;
}

/** The owner's side of a submission, for the end of a scenario: `a request at crm.example.com, but not …`. */
export function ownerGot(story: Story): string {
  const lost = nowhere(story);
  if (lost !== undefined) return `nothing: ${lost}`;
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

/** A kept delivery came later, and says so. */
function withAge(output: OutputStory): string {
  const { ageMs = 0 } = output.kept?.tries.at(-1) ?? {};
  return ageMs < 1_000 ? inWords(output) : `${inWords(output)} after ${ageInWords(ageMs)}`;
}

/** The mails that the visitor got: `a mail to ada@example.org`; empty if there was none. */
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
