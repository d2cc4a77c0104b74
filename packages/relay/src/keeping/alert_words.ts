import { ageInWords } from '../base/age_words.ts';
import type { Notice, NoticeKind } from './episodes.ts';

/** What an alert says: of several forms to which the same happened, all together. */
export interface Alert {
  readonly kind: NoticeKind | 'keep_failed';
  /** Sorted. Empty where nobody knows which. */
  readonly forms: readonly string[];
  readonly waiting: number;
  readonly aside: number;
  readonly oldestKeptAt: number | undefined;
  /** Without values and secrets, as in the log. */
  readonly reasons: readonly string[];
  readonly deleted: number;
}

/** Who is told of more reads the others with `relay kept list`. */
const mostReasons = 5;
const mostForms = 10;
const mostNamed = 50;

/** The same for all forms to which it happened. */
export const alertOf = (kind: Alert['kind'], notices: readonly Notice[]): Alert => ({
  kind,
  forms: [...new Set(notices.flatMap(({ forms }) => forms))].toSorted(),
  waiting: sum(notices, ({ waiting }) => waiting),
  aside: sum(notices, ({ aside }) => aside),
  oldestKeptAt: notices
    .map(({ oldestKeptAt }) => oldestKeptAt)
    .filter((at) => at !== undefined)
    .toSorted((a, b) => a - b)[0],
  reasons: [...new Set(notices.flatMap(({ whys }) => whys.map(({ words }) => words)))],
  deleted: sum(notices, ({ deleted }) => deleted),
});

const sum = (notices: readonly Notice[], of: (notice: Notice) => number) =>
  notices.reduce((total, one) => total + of(one), 0);

/** The values of `config/alerts_form.ts`, by field. `isSealed`: nobody but its owner can deliver it. */
export function alertValues(alert: Alert, now: number, isSealed: boolean): ReadonlyMap<string, string> {
  const { kind, forms, waiting, aside, oldestKeptAt, reasons } = alert;
  const isOver = kind === 'delivered';
  const values = Object.entries({
    summary: summaryOf(alert, now),
    form: forms.length === 0 ? '' : formsInWords(forms, mostNamed),
    waiting: kind === 'keep_failed' ? '' : String(waiting),
    aside: isSealed ? numberOf(waiting) : numberOf(aside),
    oldest: oldestKeptAt === undefined ? '' : timeInWords(oldestKeptAt),
    reason: isOver ? '' : reasonsOf(reasons),
    what_to_do: whatToDo(alert, isSealed),
    event: kind,
  });
  return new Map(values.filter(([, value]) => value !== ''));
}

const numberOf = (many: number) => (many === 0 ? '' : String(many));

function summaryOf({ kind, forms, waiting, aside, oldestKeptAt, deleted }: Alert, now: number): string {
  const who = formsInWords(forms);
  const age = oldestKeptAt === undefined ? '' : ageInWords(now - oldestKeptAt);
  switch (kind) {
    case 'kept':
      return `${who}: ${deliveries(waiting)} could not be made, and ${isOrAre(waiting)} kept`;
    case 'waiting':
      return `${who}: ${deliveries(waiting)} still ${waits(waiting)}`;
    case 'aside':
      return `${who}: ${deliveries(aside)} ${waits(aside)} for you`;
    case 'old':
      return `${who}: ${deliveries(waiting)} ${waits(waiting)}, the oldest for ${age}`;
    case 'delivered':
      return deleted > 0
        ? `${who}: nothing waits any more; ${deliveries(deleted)} ${deleted === 1 ? 'was' : 'were'} deleted, since the time was over`
        : `${who}: all is delivered again, and nothing waits any more`;
    case 'keep_failed':
      return `${who}: submissions are lost: they could be neither delivered nor kept`;
  }
}

const deliveries = (many: number) => (many === 1 ? '1 delivery' : `${many} deliveries`);
const waits = (many: number) => (many === 1 ? 'waits' : 'wait');
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

/** UTC, as everywhere. */
const timeInWords = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;

function whatToDo({ kind, aside }: Alert, isSealed: boolean): string {
  if (kind === 'delivered') return '';
  if (kind === 'keep_failed')
    return 'Their senders read that it could not be sent. See what the reason says; relay doctor looks at where deliveries are kept.';
  if (isSealed) return 'It is sealed, so you deliver it: relay kept deliver --identity key.txt';
  const look = 'relay kept list shows what waits.';
  return aside > 0
    ? `What waits for you is not tried again by itself: mend what the reason says, then run relay kept retry. ${look}`
    : `It is tried again by itself. See to what the reason says. ${look}`;
}
