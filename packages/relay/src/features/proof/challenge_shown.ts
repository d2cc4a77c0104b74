import { firstValue, type Values } from '../../base/values.ts';
import type { AnswerContext, Form } from '../../form.ts';
import { captcha } from '../captcha/captcha.ts';
import { answerFor, hardness, typedNumber } from './challenge.ts';
import type { ChallengeShown } from './challenge_view.ts';
import { proof } from './proof.ts';

/**
 * A form that comes back asks for what its sender was challenged with, or has just solved. Otherwise a visitor who
 * mistyped an address would be challenged again.
 */
export function askedOf({ form, sent, challenge }: AnswerContext): AnswerContext['challenge'] {
  if (!form || !sent) return challenge;
  return challenge && wantsNumber(form, sent) ? 'number' : (challenge ?? solvedIn(form, sent));
}

/** Whether somebody pressed the button beside a captcha that says so (packages/element/src/guard/captcha_on_demand.ts). */
function wantsNumber(form: Form, sent: Values): boolean {
  const asked = proof.of(form);
  return (
    asked !== undefined && asked.withoutScript !== 'refuse' && firstValue(sent, asked.field) === 'number'
  );
}

function solvedIn(form: Form, sent: Values): AnswerContext['challenge'] {
  const asked = proof.of(form);
  if (!asked) return undefined;
  const solution = firstValue(sent, asked.field);
  const solvable = captcha.of(form);
  if (typedNumber(solution) !== undefined) return 'number';
  if (solvable?.onlyInDoubt && firstValue(sent, solvable.tokenField) !== '') return 'captcha';
  return sizeOf(solution) >= hardness.challenged ? 'proof_of_work' : undefined;
}

/** How large the number of a puzzle could be, as its solution says: nothing of it is checked. */
const sizeOf = (solution: string) =>
  Number(/[?&]max=(\d+)&/.exec(Buffer.from(solution, 'base64').toString('latin1'))?.[1] ?? 0);

/** As the form shows it. `token`: the fresh one that goes with it. */
export function challengeShown(
  form: Form,
  { challenge: asks, isUsed, sent, settings }: AnswerContext,
  token: string | undefined,
): ChallengeShown | undefined {
  const asked = proof.of(form);
  if (!asks || !asked) return undefined;
  const takesNumber = asked.withoutScript !== 'refuse' && token !== undefined;
  return {
    asks,
    field: asked.field,
    number: takesNumber ? answerFor(settings.formTokenSecret, form.id, token) : undefined,
    isWrong: !isUsed && asks !== 'number' && isWrongIn(form, { sent, settings }),
  };
}

/** Whether somebody typed something else than the number. What is right may still be too old. */
function isWrongIn(
  form: Form,
  { sent = new Map(), settings }: Pick<AnswerContext, 'sent' | 'settings'>,
): boolean {
  const asked = proof.of(form);
  const typed = firstValue(sent, asked?.field ?? '').trim();
  if (!asked || !isTyped(typed)) return false;
  const token = firstValue(sent, asked.tokenField);
  return typedNumber(typed) !== answerFor(settings.formTokenSecret, form.id, token);
}

/** Whether a person typed it. Scripts send a solution, which is much longer. */
const isTyped = (solution: string) => solution !== '' && solution.length < 60;
