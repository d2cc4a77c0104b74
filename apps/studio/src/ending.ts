import { reservedHostIn } from '@form-relay/base/url';
import type { OutputReport, SubmissionReport } from './dry_run/report.ts';
import type { EndingState } from './state.ts';

const delivered: EndingState = { word: 'Delivered', tone: 'ok', icon: 'check' };

/** Features bring outcomes of their own: one that is not here is told by its name. */
const endings: Readonly<Record<string, EndingState>> = {
  held: { word: 'Held back', tone: 'quiet', icon: 'clock' },
  limited: { word: 'Too many mails', tone: 'warn', icon: 'alert' },
  dropped: { word: 'Dropped', tone: 'quiet', icon: 'slash' },
  invalid: { word: 'Not valid', tone: 'warn', icon: 'alert' },
  expired: { word: 'Expired', tone: 'warn', icon: 'clock' },
  token_missing: { word: 'No token', tone: 'warn', icon: 'clock' },
  challenged: { word: 'Challenged', tone: 'warn', icon: 'alert' },
  script_needed: { word: 'No script', tone: 'warn', icon: 'alert' },
  origin_refused: { word: 'Wrong origin', tone: 'warn', icon: 'slash' },
  not_open: { word: 'Not open yet', tone: 'warn', icon: 'clock' },
  link_needed: { word: 'No link', tone: 'warn', icon: 'slash' },
  saved: { word: 'Saved for later', tone: 'ok', icon: 'clock' },
  closed: { word: 'Closed', tone: 'warn', icon: 'clock' },
  full: { word: 'Full', tone: 'warn', icon: 'slash' },
  registered: { word: 'Registered before', tone: 'warn', icon: 'slash' },
  uncounted: { word: 'Not counted', tone: 'bad', icon: 'cross' },
  rate_limited: { word: 'Too often', tone: 'warn', icon: 'clock' },
  captcha_failed: { word: 'Captcha failed', tone: 'warn', icon: 'alert' },
  bad_request: { word: 'Bad request', tone: 'bad', icon: 'cross' },
  key_refused: { word: 'Wrong key', tone: 'warn', icon: 'slash' },
  replayed: { word: 'Answered again', tone: 'quiet', icon: 'check' },
  in_progress: { word: 'In progress', tone: 'warn', icon: 'clock' },
  key_reused: { word: 'Key used before', tone: 'warn', icon: 'alert' },
  unknown_form: { word: 'Unknown form', tone: 'bad', icon: 'cross' },
  busy: { word: 'Busy', tone: 'bad', icon: 'cross' },
  undelivered: { word: 'Failed', tone: 'bad', icon: 'cross' },
  no_config: { word: 'No config', tone: 'bad', icon: 'cross' },
  no_token_secret: { word: 'No secret', tone: 'bad', icon: 'cross' },
  no_public_url: { word: 'No address', tone: 'bad', icon: 'cross' },
};

const partly: EndingState = { word: 'Delivered in part', tone: 'warn', icon: 'alert' };
const kept: EndingState = { word: 'Kept', tone: 'warn', icon: 'clock' };
const keptInPart: EndingState = { word: 'Kept in part', tone: 'warn', icon: 'clock' };
const deliveredNowhere: EndingState = { word: 'Delivered nowhere', tone: 'warn', icon: 'alert' };

/** Why nobody has what the studio pretends to deliver; `undefined` if somebody has, or nothing was delivered. */
export function nowhere({ outcome, outputs }: SubmissionReport): string | undefined {
  const hosts = outputs
    .filter(({ result }) => result === 'delivered')
    .map(({ target }) => reservedHostIn(target));
  return outcome === 'delivered' &&
    hosts[0] !== undefined &&
    hosts.every((host) => host?.endsWith('.invalid'))
    ? `no server is called ${hosts[0]}`
    : undefined;
}

/** `not_open` becomes "Not open". */
const titled = (kind: string) => kind.replaceAll('_', ' ').replace(/./, (first) => first.toUpperCase());

/** A story's ending in a word, for its badge. */
export function endingOf(story: SubmissionReport): EndingState {
  const { outcome, outputs } = story;
  if (nowhere(story) !== undefined) return deliveredNowhere;
  if (outcome !== 'delivered')
    return endings[outcome] ?? { word: titled(outcome), tone: 'warn', icon: 'alert' };
  const has = (wanted: OutputReport['result']) => outputs.some(({ result }) => result === wanted);
  if (has('kept')) return has('delivered') ? keptInPart : kept;
  return has('failed') ? partly : delivered;
}
