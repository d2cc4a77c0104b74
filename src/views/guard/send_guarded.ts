import { captchaOnDemand } from './captcha_on_demand.ts';
import { behaviourField, type Guard, sayWhile } from './guarded_form.ts';
import type { Given } from './puzzle.ts';

/** What the relay says where a solution lacks or was not enough, and gives another puzzle with. */
export const asksForProof = (code: string) => code === 'challenge_proof' || code === 'script_needed';

/** What a script sends a form with. Whoever is asked for more is not asked to send it again where the browser can solve that. */
export function sendGuarded(guard: Guard, send: typeof fetch): typeof fetch {
  const { puzzle, behaviour } = guard;
  const captcha = captchaOnDemand(guard);
  return async (input, init = {}) => {
    const { body } = init;
    const isSubmission = /\/api\/v1\/submit\//.test(`${input}`);
    if (!isSubmission || !(body instanceof FormData || body instanceof URLSearchParams))
      return send(input, init);
    if (behaviour) body.set(behaviourField, behaviour());
    await captcha.fill(body);
    for (let mayTryAgain = true; ; mayTryAgain = false) {
      if (puzzle.isOpen()) await sayWhile(guard, puzzle.solve());
      const solution = puzzle.solution();
      // ALTCHA's own widget may be in the form, too.
      if (solution && (!mayTryAgain || !body.get(solution[0]))) body.set(...solution);
      const response = await send(input, init);
      puzzle.spend();
      if (response.ok) return response;
      const problem: Problem = await response
        .clone()
        .json()
        .catch(() => ({}));
      const { code = '', token } = problem;
      if (token) puzzle.take(token);
      if (code === 'challenge_captcha') captcha.show();
      captcha.reset();
      if (!mayTryAgain || !token?.challenge || !asksForProof(code)) return response;
      body.set(token.name, token.value);
      await new Promise((resolve) => setTimeout(resolve, token.wait_ms));
    }
  };
}

interface Problem {
  readonly code?: string;
  readonly token?: Given;
}
