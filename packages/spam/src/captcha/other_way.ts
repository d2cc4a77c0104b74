/**
 * The number that challenged visitors type if they cannot solve the captcha, because they have no JavaScript
 * or their network blocks the provider.
 */

import { attributes, type Html, html } from '@form-relay/base/html';
import { firstValue } from '@form-relay/base/values';
import type { FormView, Submission } from '@form-relay/core/index';
import { issueToken, readToken } from '../form_token.ts';
import { answerFor, typedNumber } from '../proof/challenge.ts';
import { question } from '../proof/markup.ts';

export const numberField = '_captcha_number';
/** The number is derived from this token. */
export const numberTokenField = '_captcha_number_token';

const ttlMs = 7_200_000;

/** A collapsed section below the captcha; `undefined` without FORM_TOKEN_SECRET. */
export function otherWay(view: FormView): Html | undefined {
  const { form, settings, locale, now, sent = new Map(), outcome } = view;
  if (!settings?.formTokenSecret || now === undefined) return undefined;
  const secret = settings.formTokenSecret;
  const token = issueToken(secret, form.id, { issuedAt: now, waitedMs: 0 });
  const isTyped = firstValue(sent, numberField).trim() !== '';
  const shown = {
    name: numberField,
    number: answerFor(secret, form.id, token),
    isWrong: isTyped && outcome?.message?.code === 'challenge_captcha',
    isOnlyWay: false,
  };
  return html`<details${attributes({ class: 'form-other-way', open: isTyped })}>
<summary>${locale.translate({ code: 'challenge_other' })}</summary>
<input${attributes({ type: 'hidden', name: numberTokenField, value: token })}>
${question(view, shown)}</details>
`;
}

/** The token whose number the visitor typed, which counts once; `undefined` if no number or a wrong one was typed. */
export function answeredToken({ sent, settings, form, receivedAt }: Submission): string | undefined {
  const secret = settings.formTokenSecret;
  const typed = typedNumber(firstValue(sent, numberField).trim());
  if (secret === '' || typed === undefined) return undefined;
  const token = firstValue(sent, numberTokenField);
  const issued = readToken(secret, form.id, token);
  const isFresh = issued !== undefined && receivedAt - issued.issuedAt <= ttlMs;
  return isFresh && answerFor(secret, form.id, token) === typed ? token : undefined;
}
