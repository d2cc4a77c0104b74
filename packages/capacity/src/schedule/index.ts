import { isTimeZone, ownTimeZone } from '@form-relay/base/time_zone';
import type { Diagnostics, Outcome, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { guard } from '@form-relay/core/submission';
import { shown } from '@form-relay/schema/diagnostics';
import { label, localizedText } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { type Edge, type Moment, moment, momentOf, type Written } from './moments.ts';

const keys = {
  opens: optional(
    'Time when the form opens: `2026-12-01 09:00` in `time_zone`, a day alone for its beginning, or with an offset: `2026-12-01T09:00:00+01:00`. Until then, visitors read when it opens (docs/closing.md).',
    moment(),
  ),
  closes: optional(
    'Time when the form closes, written like `opens`; a day alone means its end. Afterwards, visitors read that the form has closed (docs/closing.md).',
    moment(),
  ),
  closed_text: optional(
    'Text on a closed form, such as whom to ask. Links as in `failure_message`, which it replaces.',
    localizedText(label()),
  ),
};

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** Why the form is closed at a time; `undefined` while it is open. */
    schedule: (now: number) => Outcome | undefined;
  }
}

/** The time zone of a form, which is a key of fields with times. */
const zoneIn = (keys: Readonly<Record<string, unknown>>): unknown => keys.time_zone;

/** A form is filled in from when it `opens` until it `closes`. Only the clock decides: nothing is stored. */
const schedule = feature({
  name: 'schedule',
  before: ['honeypot'],
  keys: { form: keys },
  configure: ({ form, top, now }, at) => {
    const { opens: written, closes: end, closed_text: ownersText } = form;
    if (ownersText !== undefined && end === undefined)
      at.in('closed_text').error('the form never closes, so nobody reads this; add closes, or leave it out', {
        aboutKey: true,
        fix: 'remove',
      });
    const zone = zoneIn(form) ?? zoneIn(top);
    // A wrong time zone is reported by itself.
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
    /** Looks only at the clock, so that it may also go back. */
    const outcomeAt = (now: number): Outcome | undefined =>
      opens && now < opens.at ? notOpen : closes && now >= closes.at ? closed : undefined;
    return {
      provides: outcomeAt,
      cards: [
        {
          name: 'opening',
          says: ['takes submissions', opens && `from ${opens.text}`, closes && `until ${closes.text}`]
            .filter(Boolean)
            .join(' '),
        },
      ],
      // The check runs after the body is read, so that a visitor who is too late gets back what was typed.
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
