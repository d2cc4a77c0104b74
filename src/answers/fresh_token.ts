import { issueToken, readToken } from '../checks/token.ts';
import type { Form } from '../form.ts';
import type { Html } from '../html.ts';
import { firstValue } from '../values.ts';
import { hiddenInput } from '../views/fragments.ts';
import type { AnswerContext } from './answer_context.ts';

/** The min-fill token's input. Nothing for forms without min-fill, or without a secret: that token could be forged. */
export function freshToken(form: Form, context: AnswerContext, waited = 0): Html | undefined {
  const token = freshTokenValue(form, context, waited);
  return token && hiddenInput(token.name, token.value);
}

/**
 * How long the sender waited, as far as a token proves it: a correction is never punished (D7). A token that has expired
 * and is older than a day proves nothing: bots keep them.
 */
export function waitedMs(form: Form, { settings, sent, now }: AnswerContext): number {
  const rule = form.spam?.minFill;
  const token = rule && readToken(settings.formTokenSecret, form.id, firstValue(sent, rule.tokenField));
  if (!token) return 0;
  const ageMs = now - token.issuedAt;
  if (ageMs < 0 || ageMs > Math.max(rule.ttlMs, dayMs)) return 0;
  return Math.min(rule.minFillMs, token.waitedMs + ageMs);
}

const dayMs = 86_400_000;

/** An event of htmx that brings a fresh token to a form that stays in the page (views/browser/form_events.ts). */
export function freshTokenTrigger(form: Form, context: AnswerContext): string | undefined {
  const token = freshTokenValue(form, context, waitedMs(form, context));
  const event = token && JSON.stringify({ 'form-relay:token': token });
  // Header values are ASCII; names need not be.
  return event?.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function freshTokenValue(form: Form, { settings, now }: AnswerContext, waited: number) {
  const rule = form.spam?.minFill;
  const { formTokenSecret } = settings;
  if (!rule || formTokenSecret === '') return undefined;
  return {
    name: rule.tokenField,
    value: issueToken(formTokenSecret, form.id, { issuedAt: now, waitedMs: waited }),
  };
}
