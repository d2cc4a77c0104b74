import { readToken } from '../../checks/token.ts';
import { visibleFields } from '../../fields/visible_when.ts';
import type { Form } from '../../form.ts';
import { say } from '../../messages/message.ts';
import type { FieldError, Outcome } from '../../outcome.ts';
import type { Values } from '../../values.ts';
import { firstValue } from '../../values.ts';
import type { CheckStory } from './story.ts';

/** A submission and its ending, as far as the checks have to do with it. */
export interface Ending {
  readonly form: Form;
  readonly values: Values;
  readonly receivedAt: number;
  readonly outcome: Outcome;
  readonly formTokenSecret: string;
}

/** What each check decided and why, in the order of the street (submit.ts). */
export function tellChecks(ending: Ending): readonly CheckStory[] {
  const { outcome } = ending;
  const endedBy = checkThatEnded(outcome);
  let isOver = false;
  return order.map((check): CheckStory => {
    const { off, passed, ended } = tellers[check];
    const whyOff = off?.(ending);
    if (whyOff !== undefined) return { check, verdict: 'off', says: whyOff };
    if (isOver) return { check, verdict: 'not_reached', says: '' };
    if (check !== endedBy) return { check, verdict: 'passed', says: passed(ending) };
    isOver = true;
    return { check, verdict: 'ended', says: ended(ending) };
  });
}

const order = ['honeypot', 'min_fill', 'captcha', 'validation'] as const;
type Check = (typeof order)[number];

function checkThatEnded(outcome: Outcome): Check | undefined {
  switch (outcome.kind) {
    case 'dropped':
      return outcome.by;
    case 'expired':
    case 'no_token_secret':
      return 'min_fill';
    case 'captcha_failed':
      return 'captcha';
    case 'invalid':
      return 'validation';
    default:
      return undefined;
  }
}

interface Teller {
  /** Why the check does nothing in this form; `undefined` where it does something. */
  readonly off?: (ending: Ending) => string | undefined;
  readonly passed: (ending: Ending) => string;
  readonly ended: (ending: Ending) => string;
}

const tellers: Readonly<Record<Check, Teller>> = {
  honeypot: {
    off: ({ form }) => (form.spam?.honeypot === undefined ? 'the form has no spam.honeypot' : undefined),
    passed: ({ form }) => `the decoy field "${form.spam?.honeypot}" is empty`,
    ended: ({ form }) =>
      `the decoy field "${form.spam?.honeypot}" is filled: only bots see it. The sender is told that all is well`,
  },
  min_fill: {
    off: ({ form }) => (form.spam?.minFill ? undefined : 'the form has no spam.min_fill_seconds'),
    passed: ({ form, values, receivedAt, formTokenSecret }) => {
      const { tokenField = '', minFillMs = 0 } = form.spam?.minFill ?? {};
      const token = readToken(formTokenSecret, form.id, firstValue(values, tokenField));
      const filledMs = token ? receivedAt - token.issuedAt + token.waitedMs : 0;
      return `sent ${time(filledMs)} after the form was shown; the least is ${time(minFillMs)}`;
    },
    ended: ({ outcome, form }) => {
      if (outcome.kind === 'dropped') return `${outcome.reason}. The sender is told that all is well`;
      if (outcome.kind === 'no_token_secret') return 'FORM_TOKEN_SECRET is not set';
      return `the form was shown longer ago than ${time(form.spam?.minFill?.ttlMs ?? 0)} (form_ttl)`;
    },
  },
  captcha: {
    off: ({ form }) => (form.captcha ? undefined : 'the form has no captcha'),
    passed: ({ form }) => `${form.captcha?.provider} accepts the token in "${form.captcha?.tokenField}"`,
    ended: ({ form, values, outcome }) => {
      const { provider, tokenField = '' } = form.captcha ?? {};
      if (firstValue(values, tokenField) === '') return `the token in "${tokenField}" is missing`;
      return `${provider} does not accept the token: ${outcome.kind === 'captcha_failed' ? outcome.reason : ''}`;
    },
  },
  validation: {
    passed: ({ form, values }) => {
      const shown = visibleFields(form.fields, values);
      const hidden = form.fields.filter((field) => !shown.includes(field)).map(({ name }) => name);
      const all = `${shown.length} ${shown.length === 1 ? 'field is' : 'fields are'} valid`;
      return hidden.length === 0
        ? all
        : `${all}; left out, since visible_when does not hold: ${hidden.join(', ')}`;
    },
    ended: ({ outcome }) => (outcome.kind === 'invalid' ? outcome.errors.map(tellError).join(' ') : ''),
  },
};

const tellError = (error: FieldError) => `${error.field}: ${say(error)}`;

function time(ms: number): string {
  if (ms >= 3_600_000) return `${round(ms / 3_600_000)} h`;
  return ms >= 120_000 ? `${round(ms / 60_000)} min` : `${round(ms / 1_000)} s`;
}

const round = (amount: number) => Math.round(amount * 10) / 10;
