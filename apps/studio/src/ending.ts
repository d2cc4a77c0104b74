import { reservedHostIn } from '@form-relay/base/url';
import type { OutputReport, SubmissionReport } from '@form-relay/dry-run/report';
import type { EndingState } from './state.ts';

const delivered: EndingState = { word: 'Delivered', tone: 'ok', icon: 'check' };

/** Features bring outcomes of their own: an unknown one is shown by its name. */
const endings: Readonly<Record<string, EndingState>> = {
  held: { word: 'Held back', tone: 'quiet', icon: 'clock' },
  dropped: { word: 'Dropped', tone: 'quiet', icon: 'slash' },
  replayed: { word: 'Answered again', tone: 'quiet', icon: 'check' },
  invalid: { word: 'Not valid', tone: 'warn', icon: 'alert' },
  undelivered: { word: 'Failed', tone: 'bad', icon: 'cross' },
};
/** Outcomes that the owner has to do something about. */
const bad = /^(bad_request|busy|uncounted|unknown_form|no_.*)$/;

const failed = { tone: 'bad', icon: 'cross' } as const;
const noticed = { tone: 'warn', icon: 'alert' } as const;

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

/** A report's outcome in a word, for its badge. */
export function endingOf(report: SubmissionReport): EndingState {
  const { outcome, outputs } = report;
  if (nowhere(report) !== undefined) return deliveredNowhere;
  if (outcome !== 'delivered')
    return endings[outcome] ?? { word: titled(outcome), ...(bad.test(outcome) ? failed : noticed) };
  const has = (wanted: OutputReport['result']) => outputs.some(({ result }) => result === wanted);
  if (has('kept')) return has('delivered') ? keptInPart : kept;
  return has('failed') ? partly : delivered;
}
