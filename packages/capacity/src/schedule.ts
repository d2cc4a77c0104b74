import { isRealDay } from '@form-relay/base/canonical';
import { isTimeZone, offsetOfLocal, ownTimeZone } from '@form-relay/base/time_zone';
import type { Diagnostics, Message, Outcome, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { guard } from '@form-relay/core/submission';
import { shown } from '@form-relay/schema/diagnostics';
import { label, localizedText, textSchema } from '@form-relay/schema/scalars';
import { optional, type Schema } from '@form-relay/schema/schema';

// The times at which a form opens and closes: as written, in a time zone, and in words for visitors.

/** A time as written in a config. Offsets and times are in seconds. */
interface Written {
  readonly text: string;
  /** Seconds since 1970, read as UTC. */
  readonly local: number;
  /** Not set if the time zone determines it. */
  readonly offset: number | undefined;
  readonly isDay: boolean;
}

interface Moment {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** Text for the owner. */
  readonly text: string;
  /** Words for visitors. */
  readonly words: NonNullable<Message['params']>[string];
}

type Edge = 'opens' | 'closes';

const daySeconds = 86_400;
const pattern =
  /^(\d{4}-\d\d-\d\d)(?:(?:T| +)(\d{1,2}):(\d\d)(?::(\d\d))? ?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/i;

const moment = (): Schema<Written> =>
  textSchema(
    (text, at) =>
      momentIn(text) ??
      at.error(
        `found ${shown(text, at)}; expected a day and a time that exist, such as 2026-12-24 18:00, a day such as 2026-12-24, or a time with its offset, such as 2026-12-24T18:00:00+01:00`,
      ),
    { title: 'day, or day and time', type: 'string' },
  );

function momentIn(text: string): Written | undefined {
  const [, day = '', hour, minute = '0', second = '0', offset] = pattern.exec(text) ?? [];
  if (!isRealDay(day)) return undefined;
  const [hours, minutes, seconds] = [Number(hour ?? 0), Number(minute), Number(second)];
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return {
    text,
    local: Date.parse(`${day}T00:00:00Z`) / 1_000 + hours * 3_600 + minutes * 60 + seconds,
    offset: offset === undefined ? undefined : secondsOf(offset),
    isDay: hour === undefined,
  };
}

function secondsOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** @param zone The time zone of the form; `undefined` if none is set. */
function momentOf(
  { text, local, offset, isDay }: Written,
  edge: Edge,
  zone: string | undefined,
): Moment | { readonly problem: string } {
  if (offset !== undefined) {
    const at = (local - offset) * 1000;
    return { at, text: text, words: timeWords(at, zone ?? 'UTC') };
  }
  if (zone === undefined)
    return {
      problem:
        'this time has no time zone; add time_zone, such as time_zone: Europe/Berlin, to the form or at the top, or an offset, as in 2026-12-24T18:00:00+01:00',
    };
  if (isDay) {
    const isEnd = edge === 'closes';
    return {
      at: startOfDay(zone, local + (isEnd ? daySeconds : 0)),
      text: `${isEnd ? 'the end of ' : ''}${text} (${zone})`,
      words: spelled(local * 1000, { ...date, timeZone: 'UTC' }),
    };
  }
  const known = offsetOfLocal(zone, local);
  if (known === undefined)
    return { problem: `found "${text}", which does not exist in ${zone}, because clocks are set forward` };
  const at = (local - known) * 1000;
  return { at, text: `${text} (${zone})`, words: timeWords(at, zone) };
}

/** The start of a day. If clocks are set forward at midnight, the day begins at 01:00, so use the offset that was valid before. */
const startOfDay = (zone: string, local: number) =>
  (local - (offsetOfLocal(zone, local) ?? offsetOfLocal(zone, local - 3 * 3600) ?? 0)) * 1000;

const date = { calendar: 'gregory', day: 'numeric', month: 'long', year: 'numeric' } as const;
/** Use 24 hours in every language, like the examples in messages: Korean would have `AM 09:00`. */
const time = { minute: '2-digit', hourCycle: 'h23', hour: 'numeric', timeZoneName: 'short' } as const;

const timeWords = (at: number, timeZone: string) =>
  spelled(at, { ...date, ...time, ...(at % 60_000 !== 0 && { second: '2-digit' }), timeZone });

/** Without a region, `en` means American English, which puts the month first. */
const spelled = (at: number, options: Intl.DateTimeFormatOptions): Moment['words'] => ({
  spell: ([language = 'en', ...others]) =>
    new Intl.DateTimeFormat([language === 'en' ? 'en-GB' : language, ...others], options).format(at),
});

const keys = {
  opens: optional(
    'Time when the form opens: `2026-12-01 09:00` in `time_zone`, a day alone for its start, or with an offset: `2026-12-01T09:00:00+01:00`. Until then, visitors see when it opens (docs/closing.md).',
    moment(),
  ),
  closes: optional(
    'Time when the form closes (`2026-12-24`), written like `opens`; a day alone means its end. Afterwards, visitors see that the form has closed (docs/closing.md).',
    moment(),
  ),
  closed_text: optional(
    'Text on a closed form, such as `Ask info@example.com`. Links as in `failure_message`, which it replaces.',
    localizedText(label()),
  ),
};

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** Why the form is closed at this time; `undefined` while it is open. */
    schedule: (now: number) => Outcome | undefined;
  }
}

/** The form's time zone. The key belongs to fields with times. */
const zoneIn = (keys: Readonly<Record<string, unknown>>): unknown => keys.time_zone;

/** Opens and closes a form by the clock, without storing anything. */
const schedule = feature({
  name: 'schedule',
  before: ['honeypot'],
  keys: { form: keys },
  configure: ({ form, top, now }, at) => {
    const { opens: written, closes: end, closed_text: ownersText } = form;
    if (ownersText !== undefined && end === undefined)
      at.in('closed_text').error(
        'the form never closes, so this text is never shown; add closes, or remove this key',
        {
          aboutKey: true,
          fix: 'remove',
        },
      );
    const zone = zoneIn(form) ?? zoneIn(top);
    // Another check reports an invalid time zone.
    if (zone !== undefined && (typeof zone !== 'string' || !isTimeZone(zone))) return undefined;
    const opens = edge(written, 'opens', zone, at);
    const closes = edge(end, 'closes', zone, at);
    if (!opens && !closes) return undefined;
    if (opens && closes && end && closes.at <= opens.at)
      at.in('closes').error(
        `found ${shown(end.text, at)}; expected a time after the form opens: ${opens.text}`,
      );
    if (closes && now >= closes.at)
      at.in('closes').warning(`the form has been closed since ${closes.text}; visitors cannot send it`);
    const notOpen = opens && refusal('not_open', 'form_not_open', opens, `not open before ${opens.text}`);
    const closed = closes && {
      ...refusal('closed', 'form_closed', closes, `closed since ${closes.text}`),
      ownersText,
    };
    /** Depends only on the clock, which may also be set back. */
    const outcomeAt = (now: number): Outcome | undefined =>
      opens && now < opens.at ? notOpen : closes && now >= closes.at ? closed : undefined;
    return {
      provides: outcomeAt,
      cards: [
        {
          name: 'opening',
          says: ['accepts submissions', opens && `from ${opens.text}`, closes && `until ${closes.text}`]
            .filter(Boolean)
            .join(' '),
        },
      ],
      // Check only after the body is read, so that a visitor who is too late gets back the typed values.
      beforeValidation: guard((submission) => {
        const outcome = outcomeAt(submission.receivedAt);
        if (!outcome) submission.trace?.note(`open${closes ? ` until ${closes.text}` : ''}`);
        return outcome;
      }),
      view: (view) => (view.now === undefined ? view : (outcomeAt(view.now) ?? view)),
    };
  },
});

function edge(
  written: Written | undefined,
  edge: Edge,
  zone: string | undefined,
  at: Diagnostics,
): Moment | undefined {
  const moment = written && momentOf(written, edge, zone);
  return moment && 'problem' in moment
    ? at.in(edge).error(moment.problem, { fix: [[[...at.path, 'time_zone'], ownTimeZone()]] })
    : moment;
}

const refusal = (kind: string, code: string, { words }: Moment, why: string): Outcome => ({
  kind,
  status: 403,
  message: { code, params: { time: words } },
  why,
  isClosed: true,
});

export const plugin: Plugin = {
  name: 'schedule',
  features: [schedule],
  messages: {
    en: { form_not_open: 'This form opens on {time}.', form_closed: 'This form closed on {time}.' },
  },
};
