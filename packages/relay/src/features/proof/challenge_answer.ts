import type { RelayResponse } from '../../base/http.ts';
import type { Call } from '../../form.ts';
import { jsonAnswer } from '../../pages/problem_answer.ts';
import { failure } from '../../pages/respond.ts';
import { puzzleOf } from '../form_token/fresh_token.ts';
import { hardness } from './challenge.ts';
import { proof } from './proof.ts';

/**
 * A puzzle alone, for ALTCHA's widget and programs that solve such puzzles. A widget must always get one: if the form asks
 * for nothing just now, the puzzle costs nothing; if only challenged visitors solve one, use that difficulty.
 */
export async function answerChallenge(call: Call): Promise<RelayResponse> {
  const found = await call.findForm();
  if (!found.ok) return found.error;
  const form = found.value;
  const refused = form.answers.needsTokenSecret && (await call.withoutTokenSecret(form));
  if (refused) return refused;
  const context = call.context(form);
  const asked = proof.of(form);
  if (!asked) return failure(404, { code: 'unknown_page' }, context);
  const least = asked.when === 'asked' ? hardness.challenged : hardness.least;
  const puzzle = puzzleOf(form, context) ?? puzzleOf(form, context, least);
  if (!puzzle?.challenge) throw new Error('there is no secret to sign a puzzle with');
  return jsonAnswer(200, puzzle.challenge);
}
