import type { RelayResponse } from '../base/http.ts';
import type { Soon } from '../base/soon.ts';
import { hardness } from '../features/proof/challenge.ts';
import { proof } from '../features/proof/proof.ts';
import type { Form } from '../form.ts';
import type { AnswerContext } from './answer_context.ts';
import { puzzleOf } from './fresh_token.ts';
import { jsonAnswer } from './json_answer.ts';
import { failure } from './respond.ts';

/**
 * A puzzle alone, for ALTCHA's widget and others who solve such. A widget must get one whatever the form asks for just now:
 * where that is nothing, it costs nothing. Of a form that asks those alone who are challenged, it is theirs.
 */
export function challengeAnswer(form: Form, context: AnswerContext): Soon<RelayResponse> {
  const asked = proof.of(form);
  if (!asked) return failure(404, { code: 'unknown_page' }, context);
  const least = asked.when === 'asked' ? hardness.challenged : hardness.least;
  const puzzle = puzzleOf(form, context) ?? puzzleOf(form, context, least);
  if (!puzzle?.challenge) throw new Error('there is no secret to sign a puzzle with');
  return jsonAnswer(200, puzzle.challenge);
}
