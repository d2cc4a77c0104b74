import type { ScheduleEvidence } from '../../base/event.ts';
import { late } from '../../base/late.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { Found } from '../../form.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { finding } from '../../schema/finding.ts';
import { lateSchema, optional, perLanguage } from '../../schema/keys.ts';
import { label } from '../../schema/kinds.ts';
import { feature } from '../feature.ts';
import type { Edge, Moment, Written } from './moments.ts';

export const momentParts = late(() => import('./moments.ts'), 'opens', 'closes');

const moment: Schema<Written> = lateSchema(momentParts, (loaded) => loaded.moment);

export interface Schedule {
  readonly opens: Moment | undefined;
  readonly closes: Moment | undefined;
}

export interface Keys {
  readonly opens?: Written | undefined;
  readonly closes?: Written | undefined;
  readonly time_zone?: string | undefined;
}

/** A form is filled in from when it `opens` until it `closes` (docs/closing.md). The clock alone decides: nothing is stored. */
export const schedule = feature({
  name: 'schedule',
  keys: {
    form: {
      opens: optional(
        'From when the form can be sent: `2026-12-01 09:00` in the form’s `time_zone`, `2026-12-01` for the beginning of that day, or a time with its offset, `2026-12-01T09:00:00+01:00`. Before, visitors read when it opens (docs/closing.md).',
        moment,
      ),
      closes: optional(
        'Until when the form can be sent, written like `opens`; a day alone means its end. After it, visitors read that the form closed (docs/closing.md).',
        moment,
      ),
      closed_text: optional(
        'What visitors read below the relay’s own words once the form has closed, such as where to turn. It may hold links like `failure_message`, in place of which it stands there.',
        perLanguage(label()),
      ),
    },
  },
  check: { key: 'closes', isToldIfOn: true },
  settings: ({ form, top }: { readonly form: Keys; readonly top: Keys }): Schedule | undefined => {
    const zone = form.time_zone ?? top.time_zone;
    const at = (edge: Edge) => {
      const moment = form[edge] && momentParts.loaded.momentOf(form[edge], edge, zone);
      // Beside errors, warnings are found, too.
      return moment?.ok ? moment.value : undefined;
    };
    return form.opens || form.closes ? { opens: at('opens'), closes: at('closes') } : undefined;
  },
  problems: ({ form, top }) => [
    ...(momentParts.value?.momentProblems(form, form.time_zone ?? top.time_zone) ?? []),
    ...(form.closed_text !== undefined && form.closes === undefined
      ? [{ ...finding('closed_text_unused', ['closed_text']), aboutKey: true }]
      : []),
  ],
  warnings: ({ closes }, _, now) =>
    closes && now !== undefined && now >= closes.at
      ? [finding('closes_passed', ['closes'], { told: closes.told })]
      : [],
  // It follows the body, so that a visitor who is too late gets back what was typed.
  stages: (asked) => ({
    check: ({ submission: { receivedAt } }): Found => {
      const ending = endingAt(asked, receivedAt);
      if (!ending) return { evidence: { check, code: 'open', until: asked.closes?.told } };
      const told = asked[ending.kind === 'closed' ? 'closes' : 'opens']?.told ?? '';
      return { evidence: { check, code: ending.kind, told }, ending };
    },
  }),
  answers: (asked) => ({
    shows: (_, { now }) => {
      const ending = endingAt(asked, now);
      return ending && { instead: ending.refusal };
    },
  }),
  explain: (evidence: ScheduleEvidence) => {
    if (evidence.code === 'open') return `open${evidence.until ? ` until ${evidence.until}` : ''}`;
    return evidence.code === 'closed' ? `closed since ${evidence.told}` : `not open before ${evidence.told}`;
  },
});

const check = 'schedule';

type Ending = Extract<Outcome, { kind: 'not_open' | 'closed' }>;

/** Looks at the clock alone, so that it may also go back. */
function endingAt({ opens, closes }: Schedule, now: number): Ending | undefined {
  if (opens && now < opens.at)
    return { kind: 'not_open', refusal: { code: 'form_not_open', params: { time: opens.words } } };
  return closes && now >= closes.at
    ? { kind: 'closed', refusal: { code: 'form_closed', params: { time: closes.words } } }
    : undefined;
}
