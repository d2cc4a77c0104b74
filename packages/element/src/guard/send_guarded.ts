import { captchaOnDemand } from './captcha_on_demand.ts';
import { behaviourField, type Guard, sayWhile } from './guarded_form.ts';
import { sendProving } from './send_proving.ts';

/** What a script sends a form with. Whoever is asked for more is not asked to send it again where the browser can do it alone. */
export function sendGuarded(guard: Guard, send: typeof fetch): typeof fetch {
  const { puzzle, behaviour } = guard;
  const captcha = captchaOnDemand(guard);
  const proving = sendProving(send, {
    prepare: async (body, isSecond) => {
      if (behaviour) body.set(behaviourField, behaviour());
      if (!isSecond) await captcha.fill(body);
      if (puzzle.isOpen()) await sayWhile(guard, puzzle.solve());
      const solution = puzzle.solution();
      // ALTCHA's own widget may be in the form, too.
      if (solution && (isSecond || !body.get(solution[0]))) body.set(...solution);
      puzzle.spend();
    },
    take: puzzle.take,
    problem: (code) => {
      captcha.reset();
      if (code === 'challenge_captcha') captcha.show();
    },
  });
  // The steps of a form prove nothing.
  return (input, init) => (/\/api\/v1\/submit\//.test(`${input}`) ? proving(input, init) : send(input, init));
}
