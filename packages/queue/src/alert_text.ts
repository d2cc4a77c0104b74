import type { Notice, NoticeKind } from './incidents.ts';
import { ageInWords } from './store_status.ts';

/** A message to the owner about kept deliveries. */
export interface Alert extends Omit<Notice, 'kind'> {
  readonly kind:
    | NoticeKind
    | 'keep_failed'
    | 'unpruned'
    | 'canary_failed'
    | 'canary_passed'
    | `client_${'broken' | 'mended'}`;
}

/** `relay kept list` shows the rest. */
const mostReasons = 5;
const mostForms = 10;
const mostNamed = 50;

/** The values of `alerts.ts`, by field. */
export function alertValues(alert: Alert, now: number): ReadonlyMap<string, string> {
  const { kind, forms, waiting, deadLetters, oldestKeptAt, reasons } = alert;
  const isOver = /^(delivered|canary_passed|client_mended)$/.test(kind);
  const values = Object.entries({
    summary: summaryOf(alert, now),
    form: forms.length === 0 ? '' : formsInWords(forms, mostNamed),
    waiting: /^(keep_failed|unpruned|(canary|client)_\w+)$/.test(kind) ? '' : String(waiting),
    aside: deadLetters === 0 ? '' : String(deadLetters),
    oldest: oldestKeptAt === undefined ? '' : `${new Date(oldestKeptAt).toISOString().slice(0, 19)}Z`,
    reason: isOver ? '' : reasonsOf(reasons),
    what_to_do: whatToDo(alert),
    event: kind,
  });
  return new Map(values.filter(([, value]) => value !== ''));
}

function summaryOf({ kind, forms, waiting, deadLetters, oldestKeptAt }: Alert, now: number): string {
  const who = formsInWords(forms);
  const age = oldestKeptAt === undefined ? '' : ageInWords(now - oldestKeptAt);
  switch (kind) {
    case 'kept':
      return `${who}: ${deliveries(waiting)} could not be made, and ${isOrAre(waiting)} kept`;
    case 'waiting':
      return `${who}: ${deliveries(waiting)} still ${waitOrWaits(waiting)}${age && `, the oldest for ${age}`}`;
    case 'aside':
      return `${who}: ${deliveries(deadLetters)} ${waitOrWaits(deadLetters)} for you`;
    case 'delivered':
      return `${who}: all is delivered again, and nothing waits any more`;
    case 'keep_failed':
      return `${who}: submissions are lost: they could be neither delivered nor kept`;
    case 'unpruned':
      return 'Old submissions were not removed from an archive';
    case 'canary_failed':
      return `${who}: a test of the form failed`;
    case 'canary_passed':
      return `${who}: tests of the form pass again`;
    case 'client_broken':
      return `${who}: the config of this client does not load`;
    case 'client_mended':
      return `${who}: the config of this client loads again`;
  }
}

const deliveries = (many: number) => (many === 1 ? '1 delivery' : `${many} deliveries`);
const waitOrWaits = (many: number) => (many === 1 ? 'waits' : 'wait');
const isOrAre = (many: number) => (many === 1 ? 'is' : 'are');

function formsInWords(forms: readonly string[], most = mostForms): string {
  if (forms.length === 0) return 'Forms';
  const more = forms.length - most;
  return more > 0 ? `${forms.slice(0, most).join(', ')} and ${more} more` : forms.join(', ');
}

const reasonsOf = (reasons: readonly string[]) =>
  [
    ...reasons.slice(0, mostReasons),
    ...(reasons.length > mostReasons ? [`and ${reasons.length - mostReasons} more reasons`] : []),
  ].join('\n');

function whatToDo({ kind, deadLetters }: Alert): string {
  if (/^(delivered|canary_passed|client_mended)$/.test(kind)) return '';
  if (kind === 'keep_failed')
    return 'Their senders read that it could not be sent. See what the reason says; relay doctor looks at where deliveries are kept.';
  if (kind === 'unpruned')
    return 'See what the reason says. relay archive prune --dry-run shows what would go; relay archive prune --yes removes it.';
  if (kind === 'canary_failed')
    return 'Submissions may be lost or delayed. Fix the cause above; relay canary tests again. Another alert follows when tests pass.';
  if (kind === 'client_broken')
    return 'The client keeps its last good config; without one, its forms answer 503. Fix the cause above; relay clients lists all clients.';
  const look = 'relay kept list shows what waits.';
  return deadLetters > 0
    ? `Dead letters are not retried automatically: fix the cause above, then run relay kept retry. ${look}`
    : `The relay retries automatically. Fix the cause above. ${look}`;
}
