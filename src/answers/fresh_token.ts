import { type Challenge, hardness, makeChallenge } from '../checks/challenge.ts';
import { issueToken, readToken } from '../checks/token.ts';
import type { Form, Proof } from '../form.ts';
import type { Html } from '../html.ts';
import { firstValue } from '../values.ts';
import { challengeAttributes, hiddenInput } from '../views/fragments.ts';
import type { AnswerContext } from './answer_context.ts';

/** The token's input. Nothing for forms without one, or without a secret: that token could be forged. */
export function freshToken(form: Form, context: AnswerContext, waited = 0): Html | undefined {
  const token = freshTokenValue(form, context, waited);
  return token && hiddenInput(token.name, token.value, challengeAttributes(form, token));
}

/**
 * How long the sender waited, as far as a token proves it: a correction is never punished (D7). A token that has expired
 * and is older than a day proves nothing: bots keep them.
 */
export function waitedMs(form: Form, { settings, sent = new Map(), now }: AnswerContext): number {
  const rule = form.spam?.minFill;
  const token = rule && readToken(settings.formTokenSecret, form.id, firstValue(sent, rule.tokenField));
  if (!token) return 0;
  const ageMs = now - token.issuedAt;
  if (ageMs < 0 || ageMs > Math.max(rule.ttlMs, dayMs)) return 0;
  return Math.min(rule.minFillMs, token.waitedMs + ageMs);
}

const dayMs = 86_400_000;

/**
 * The same on a page, whose visitor has just read that the form is to be sent again: to send it at once must not be
 * taken for a bot, even where no token proves any waiting. All but a second counts as waited (D75).
 */
export const creditOnPageMs = (form: Form, context: AnswerContext): number =>
  Math.max(waitedMs(form, context), (form.spam?.minFill?.minFillMs ?? 0) - 1_000);

/** An event of htmx that brings a fresh token to a form that stays in the page (views/browser/form_events.ts). */
export function freshTokenTrigger(form: Form, context: AnswerContext): string | undefined {
  const token = freshTokenValue(form, context, waitedMs(form, context));
  const event = token && JSON.stringify({ 'form-relay:token': token });
  // Header values are ASCII; names need not be.
  return event?.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What a script sends the form again with. */
export interface Token {
  readonly name: string;
  readonly value: string;
  /** The puzzle that it carries, in ALTCHA's format, and the field for its solution. */
  readonly challenge?: Challenge | undefined;
  readonly proof_field?: string | undefined;
  /** How long to wait before that: sent sooner, it would be dropped. Absent where nothing is left to wait. */
  readonly wait_ms?: number;
}

/** A fresh token for a script. None where the body was not read: what it holds is as good as it was. */
export function renewedToken(context: AnswerContext): Token | undefined {
  const { form, sent } = context;
  if (!form || !sent) return undefined;
  const waited = waitedMs(form, context);
  const token = freshTokenValue(form, context, waited);
  const leftMs = (form.spam?.minFill?.minFillMs ?? 0) - waited;
  return token && leftMs > 0 ? { ...token, wait_ms: Math.ceil(leftMs) } : token;
}

/** The hardness of the puzzle that a token carries, if it carries one. */
const hardnessFor = ({ when }: Proof, asked: AnswerContext['challenge']): number | undefined =>
  asked === 'proof_of_work' ? hardness.challenged : when === 'always' ? hardness.usual : undefined;

export function freshTokenValue(
  form: Form,
  { settings, now, requestId, challenge: asked }: AnswerContext,
  waited = 0,
): Token | undefined {
  const name = form.spam?.minFill?.tokenField ?? form.proof?.tokenField;
  const { formTokenSecret } = settings;
  if (name === undefined || formTokenSecret === '') return undefined;
  const most = form.proof && hardnessFor(form.proof, asked);
  return {
    name,
    value: issueToken(formTokenSecret, form.id, { issuedAt: now, waitedMs: waited }),
    ...(form.proof &&
      most !== undefined && {
        challenge: makeChallenge(formTokenSecret, form.id, {
          nonce: requestId,
          expiresAt: now + form.proof.ttlMs,
          most,
        }),
        proof_field: form.proof.field,
      }),
  };
}
