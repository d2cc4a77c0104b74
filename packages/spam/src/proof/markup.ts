/** The puzzle that a form's token carries, if any. */

import { hash } from 'node:crypto';
import { attributes, html } from '@form-relay/base/html';
import { firstValue } from '@form-relay/base/values';
import { fieldElementId, partId, withOwn } from '@form-relay/core/html/element_ids';
import type { FormMarkup, FormView, Html } from '@form-relay/core/index';
import type { TokenExtras, TokenRequest } from '../form_token.ts';
import { answerFor, type Challenge, hardness, makeChallenge, proofField, typedNumber } from './challenge.ts';
import { asksIn, isChallenged } from './check.ts';
import type { Proof } from './index.ts';

/** @param most The upper limit of the number; 0 for no puzzle. */
export function puzzleFor(proof: Proof, request: TokenRequest, most: number): Challenge | undefined {
  const { settings, services, now, formId } = request;
  if (most === 0 || settings.formTokenSecret === '') return undefined;
  const puzzle = { nonce: services.uuid(), expiresAt: now + proof.formToken.ttlMs, most };
  return makeChallenge(settings.formTokenSecret, formId, puzzle);
}

function sizeFor(proof: Proof, { outcome, sent }: TokenRequest): number {
  if (!asksIn(outcome, sent)) return proof.isForAll ? hardness.usual : 0;
  // The config may have changed since the solution was sent.
  return isChallenged(outcome) && outcome.isUsual ? hardness.usual : hardness.challenged;
}

export function puzzleExtras(proof: Proof, request: TokenRequest): TokenExtras | undefined {
  const challenge = puzzleFor(proof, request, sizeFor(proof, request));
  return (
    challenge && {
      attributes: {
        'data-challenge': JSON.stringify(challenge),
        'data-ttl-ms': proof.formToken.ttlMs,
      },
      json: { challenge, proof_field: proofField },
      isDemanded: asksIn(request.outcome, request.sent),
    }
  );
}

/** A full set takes some 9 MB. */
const mostUsed = 100_000;

/**
 * Each solution counts once. Removes the oldest entries, and only when full: if the clock were set back,
 * expired solutions would count again.
 */
export class UsedOnce {
  readonly #used = new Set<string>();
  /** Keeps its position. A new iterator would have to skip the holes of deleted entries each time. */
  readonly #oldest = this.#used.values();

  /** Uses the key. Returns whether it was unused. */
  use(key: string): boolean {
    const name = nameOf(key);
    if (this.#used.has(name)) return false;
    this.#used.add(name);
    if (this.#used.size > mostUsed) this.#used.delete(this.#oldest.next().value ?? '');
    return true;
  }

  /** Marks the key as unused again. */
  giveBack(key: string): void {
    this.#used.delete(nameOf(key));
  }
}

/** A string of 16 bytes, which V8 stores as Latin-1. */
const nameOf = (key: string) => hash('sha256', key, 'buffer').toString('latin1', 0, 16);

/**
 * Placed below the error and above the button, so that visitors read why before the question, and the
 * question before they send.
 *
 * @param token The value of the fresh token, from which the number to type is derived.
 */
export function challengeMarkup(proof: Proof, view: FormView, token: string): FormMarkup {
  const { outcome, sent, settings, form } = view;
  if (!settings || !asksIn(outcome, sent)) return {};
  const number = answerFor(settings.formTokenSecret, form.id, token);
  const isUsed = isChallenged(outcome) && outcome.isUsed;
  const isWrong = !isUsed && isWrongIn(proof, view);
  return { challenge: question(view, { name: proofField, number, isWrong, isOnlyWay: true }) };
}

/**
 * Loads the script that solves the puzzles (packages/element/src/guard). If only challenged visitors solve
 * one, an htmx form loads the script only when it is shown again; the form's script always loads it, because
 * it resends the same form.
 */
export function guardMarkup({ isForAll }: Proof, { outcome, sent, medium, locale }: FormView): FormMarkup {
  if (!isForAll && !medium && !asksIn(outcome, sent)) return {};
  return {
    part: 'guard',
    attributes: { 'data-proof-working': locale.translate({ code: 'proof_working' }) },
    // The script solves puzzles in a worker.
    sources: { 'worker-src': ['blob:'] },
  };
}

interface Question {
  readonly name: string;
  readonly number: string;
  readonly isWrong: boolean;
  /**
   * The question is the only alternative to the puzzle, so the form's script removes it if it can solve the
   * puzzle (packages/element/src/guard).
   */
  readonly isOnlyWay: boolean;
}

export function question({ form, locale, classes }: FormView, asked: Question): Html {
  const { translate } = locale;
  const { name, number, isWrong, isOnlyWay } = asked;
  const id = fieldElementId(form, name);
  const helpId = partId(id, 'help');
  const errorId = partId(id, 'error');
  const frame = { class: withOwn('field form-challenge', classes?.field), 'data-form-challenge': isOnlyWay };
  const input = {
    type: 'text',
    id,
    class: classes?.input,
    name,
    inputmode: 'numeric',
    autocomplete: 'off',
    required: isOnlyWay,
    'aria-invalid': isWrong && 'true',
    'aria-describedby': isWrong ? `${helpId} ${errorId}` : helpId,
  };
  return html`<div${attributes(frame)}>
<label${attributes({ for: id, class: classes?.label })}>${translate({ code: 'challenge_question', params: { number } })}</label>
<p${attributes({ class: withOwn('field-help', classes?.help), id: helpId })}>${translate({ code: 'challenge_why' })}</p>
${isWrong && html`<p${attributes({ class: withOwn('field-error', classes?.error), id: errorId })}>${translate({ code: 'challenge_wrong' })}</p>\n`}<input${attributes(input)}>
</div>
`;
}

/** Whether the visitor typed anything but the number. A right number may still be too old. */
function isWrongIn({ formToken }: Proof, { form, sent = new Map(), settings }: FormView): boolean {
  const typed = firstValue(sent, proofField).trim();
  // Scripts send a solution, which is much longer.
  if (typed === '' || typed.length >= 60 || !settings) return false;
  return (
    typedNumber(typed) !== answerFor(settings.formTokenSecret, form.id, firstValue(sent, formToken.field))
  );
}
