import { html } from '../../base/html.ts';
import type { RelayResponse } from '../../base/http.ts';
import type { Call } from '../../form.ts';
import { fragmentAnswer } from '../../pages/fragment_answer.ts';
import type { OwnAnswers } from '../feature.ts';
import { askedOf, challengeShown } from '../proof/challenge_shown.ts';
import { challengeView } from '../proof/challenge_view.ts';
import {
  freshTokenValue,
  puzzleIn,
  renewedToken,
  shownToken,
  tokenEvent,
  tokenInput,
  tokenMarkup,
} from './fresh_token.ts';

export const tokenAnswers: OwnAnswers = {
  needsTokenSecret: true,
  add: (form, view) => {
    const { answer, medium } = view;
    // A printed form is built once, and its page's script fetches the token.
    if (!answer) return medium === 'script' ? { inputs: html`${tokenInput(form, undefined)}\n` } : {};
    const token = shownToken(form, answer, medium);
    const input = medium === 'script' ? tokenInput(form, token) : token && tokenMarkup(form, token);
    const challenge = challengeShown(form, answer, token?.value);
    return {
      // Without empty lines: in Markdown, one would end the form's HTML.
      inputs: input && html`${input}\n`,
      challenge: challenge && challengeView(form, challenge, medium),
    };
  },
  challenged: askedOf,
  renewal: {
    problem: (context) => ({ token: renewedToken(context) }),
    json: puzzleIn,
    event: tokenEvent,
  },
};

/** GET /api/v1/form/{form}/token: the token alone; nothing for forms without one. */
export async function answerToken(call: Call): Promise<RelayResponse> {
  const found = await call.findForm();
  if (!found.ok) return found.error;
  const form = found.value;
  const refused = form.answers.needsTokenSecret && (await call.withoutTokenSecret(form));
  if (refused) return refused;
  const token = freshTokenValue(form, call.context(form));
  return fragmentAnswer(200, token && tokenMarkup(form, token));
}
