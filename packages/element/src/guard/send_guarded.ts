import { captchaOnDemand } from './captcha_on_demand.ts';
import { type Guard, sayWhile } from './guarded_form.ts';
import { sendProving } from './send_proving.ts';

/** Sends a form from a script. If the relay asks for more, the browser sends it again without asking the visitor, if it can. */
export function sendGuarded(guard: Guard, send: typeof fetch): typeof fetch {
  const { puzzle } = guard;
  const captcha = captchaOnDemand(guard);
  const proving = sendProving(send, {
    prepare: async (body, isSecond) => {
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
