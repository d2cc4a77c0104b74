import type { Html } from '../../base/html.ts';
import { attributes, html } from '../../base/html.ts';
import { firstValue } from '../../base/values.ts';
import type { AnswerContext, Form, Medium } from '../../form.ts';
import { hiddenInput } from '../../pages/fragments.ts';
import { minFill } from '../min_fill.ts';
import { type Challenge, hardness, makeChallenge } from '../proof/challenge.ts';
import { type Proof, proof } from '../proof/proof.ts';
import { issueToken, readToken } from './token.ts';

/** The token of a form that is shown. Nothing without a secret: that token could be forged. */
export function shownToken(form: Form, context: AnswerContext, medium: Medium): Token | undefined {
  const isAgain = context.sent !== undefined;
  const waited = isAgain && medium === 'plain' ? creditOnPageMs(form, context) : waitedMs(form, context);
  return freshTokenValue(form, context, waited);
}

export const tokenMarkup = (form: Form, token: Token): Html =>
  hiddenInput(token.name, token.value, challengeAttributes(form, token));

/** The token's input for the form's script, which fetches what is not there. */
export function tokenInput(form: Form, token: Token | undefined): Html {
  const timed = minFill.of(form);
  const asked = proof.of(form);
  return html`<input${attributes({
    type: 'hidden',
    name: timed?.tokenField ?? asked?.tokenField,
    value: token?.value,
    'data-min-fill-ms': timed?.minFillMs ?? 0,
    'data-ttl-ms': timed?.ttlMs ?? asked?.ttlMs,
    ...(token && challengeAttributes(form, token)),
  })}>`;
}

/** The puzzle that a token carries, which the form's script solves (packages/element/src/guard). */
const challengeAttributes = (form: Form, { challenge }: Token): Parameters<typeof attributes>[0] =>
  challenge
    ? {
        'data-challenge': JSON.stringify(challenge),
        'data-proof-field': proof.of(form)?.field,
        'data-ttl-ms': proof.of(form)?.ttlMs,
      }
    : {};

/**
 * How long the sender waited, as far as a token proves it: a correction is never punished. A token that has expired
 * and is older than a day proves nothing: bots keep them.
 */
function waitedMs(form: Form, { settings, sent = new Map(), now }: AnswerContext): number {
  const rule = minFill.of(form);
  const token = rule && readToken(settings.formTokenSecret, form.id, firstValue(sent, rule.tokenField));
  if (!token) return 0;
  const ageMs = now - token.issuedAt;
  if (ageMs < 0 || ageMs > Math.max(rule.ttlMs, dayMs)) return 0;
  return Math.min(rule.minFillMs, token.waitedMs + ageMs);
}

const dayMs = 86_400_000;

/**
 * The same on a page, whose visitor has just read that the form is to be sent again: to send it at once must not be
 * taken for a bot, even where no token proves any waiting. All but a second counts as waited.
 */
const creditOnPageMs = (form: Form, context: AnswerContext): number =>
  Math.max(waitedMs(form, context), (minFill.of(form)?.minFillMs ?? 0) - 1_000);

/** An event of htmx that brings a fresh token to a form that stays in the page (inline/form_events.ts). */
export function tokenEvent(context: AnswerContext): string | undefined {
  const { form } = context;
  const token = form && freshTokenValue(form, context, waitedMs(form, context));
  const event = token && JSON.stringify({ 'form-relay:token': token });
  // Header values are ASCII; names need not be.
  return event?.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A token for a script that sends the form again. */
export interface Token {
  readonly name: string;
  readonly value: string;
  /** The puzzle that it carries, in ALTCHA's format, and the field for its solution. */
  readonly challenge?: Challenge | undefined;
  readonly proof_field?: string | undefined;
  /** How long to wait before that: sent sooner, it would be dropped or doubted. Absent where nothing is left to wait. */
  readonly wait_ms?: number;
}

/** A fresh token for a script. None where the body was not read: what it holds is as good as it was. */
export function renewedToken(context: AnswerContext): Token | undefined {
  const { form, sent } = context;
  if (!form || !sent) return undefined;
  const waited = waitedMs(form, context);
  const token = freshTokenValue(form, context, waited);
  const leftMs = (minFill.of(form)?.minFillMs ?? 0) - waited;
  return token && leftMs > 0 ? { ...token, wait_ms: Math.ceil(leftMs) } : token;
}

/** For programs that are challenged: what to solve, and the field for the solution. */
export function puzzleIn(context: AnswerContext): Pick<Token, 'challenge' | 'proof_field'> | undefined {
  const { form, challenge } = context;
  return form && challenge === 'proof_of_work' ? puzzleOf(form, context) : undefined;
}

export function freshTokenValue(form: Form, context: AnswerContext, waited = 0): Token | undefined {
  const name = minFill.of(form)?.tokenField ?? proof.of(form)?.tokenField;
  const { formTokenSecret } = context.settings;
  if (name === undefined || formTokenSecret === '') return undefined;
  return {
    name,
    value: issueToken(formTokenSecret, form.id, { issuedAt: context.now, waitedMs: waited }),
    ...puzzleOf(form, context),
  };
}

/** The puzzle that a token carries, if it carries one. */
export function puzzleOf(
  form: Form,
  context: AnswerContext,
  least?: number,
): Pick<Token, 'challenge' | 'proof_field'> | undefined {
  const { settings, now, requestId } = context;
  const asked = proof.of(form);
  const size = least ?? (asked && sizeFor(asked, form.id, context));
  if (!asked || !size || settings.formTokenSecret === '') return undefined;
  const puzzle = { nonce: requestId, expiresAt: now + asked.ttlMs, most: size };
  return { challenge: makeChallenge(settings.formTokenSecret, form.id, puzzle), proof_field: asked.field };
}

/** How large its number may be. */
function sizeFor({ when }: Proof, formId: string, { challenge, isUsual, sizeUnderAttack }: AnswerContext) {
  // Visitors who solve a captcha, or type a number, need no puzzle.
  if (challenge === 'captcha' || challenge === 'number') return 0;
  const size = when === 'auto' ? sizeUnderAttack(formId) : when === 'always' ? hardness.usual : 0;
  if (challenge !== 'proof_of_work') return size;
  // The form may have stopped asking since.
  return Math.max(size, isUsual ? hardness.usual : hardness.challenged);
}
