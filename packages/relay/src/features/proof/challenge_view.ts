import { attributes, type Html, html, partId } from '../../base/html.ts';
import { withOwn } from '../../fields/classes.ts';
import type { ChallengeAsked, Form, Medium } from '../../form.ts';
import { fieldElementId } from '../../pages/fragments.ts';
import { captcha } from '../captcha/captcha.ts';
import { captchaWidget } from '../captcha/captcha_view.ts';

/** The challenge of a visitor whom the form doubts. */
export interface ChallengeShown {
  readonly asks: ChallengeAsked;
  /** The input's name. */
  readonly field: string;
  /** The number to type if no script solves the puzzle and the visitor cannot solve the captcha; `undefined`: the form refuses them. */
  readonly number: string | undefined;
  /** Something else was typed. */
  readonly isWrong: boolean;
}

/**
 * Below the line that says why, above the button: what is asked for is read after the reason and before sending. A
 * captcha has another way beside it, for whoever cannot see it, or whose browser or network keeps it out (WCAG 1.1.1).
 */
export function challengeView(form: Form, shown: ChallengeShown, medium: Medium): Html {
  const { say } = form;
  const asked = captcha.of(form);
  const widget =
    shown.asks === 'captcha' && asked && captchaWidget(asked, say, medium, shown.number === undefined);
  if (shown.number === undefined) {
    return widget ? html`${widget}\n` : html`<noscript><p>${say({ code: 'script_needed' })}</p></noscript>\n`;
  }
  const { asks, isWrong } = shown;
  if (!widget) return question(form, shown, shown.number, true, asks === 'proof_of_work');
  return html`${widget}
<details${attributes({ class: 'form-other-way', open: isWrong })}>
<summary>${say({ code: 'challenge_other' })}</summary>
${question(form, shown, shown.number, false, false)}</details>
`;
}

/** `mayGo`: the form's script takes it out of the form, and solves the puzzle of the token instead (packages/element/src/guard). */
function question(
  form: Form,
  { field, isWrong }: ChallengeShown,
  number: string,
  required: boolean,
  mayGo: boolean,
): Html {
  const { say, classes } = form;
  const id = fieldElementId(form, field);
  const helpId = partId(id, 'help');
  const errorId = partId(id, 'error');
  const frame = { class: withOwn('field form-challenge', classes?.field), 'data-form-challenge': mayGo };
  const input = {
    type: 'text',
    id,
    class: classes?.input,
    name: field,
    inputmode: 'numeric',
    autocomplete: 'off',
    required,
    'aria-invalid': isWrong && 'true',
    'aria-describedby': isWrong ? `${helpId} ${errorId}` : helpId,
  };
  return html`<div${attributes(frame)}>
<label${attributes({ for: id, class: classes?.label })}>${say({ code: 'challenge_question', params: { number } })}</label>
<p${attributes({ class: withOwn('field-help', classes?.help), id: helpId })}>${say({ code: 'challenge_why' })}</p>
${isWrong && html`<p${attributes({ class: withOwn('field-error', classes?.error), id: errorId })}>${say({ code: 'challenge_wrong' })}</p>\n`}<input${attributes(input)}>
</div>
`;
}
