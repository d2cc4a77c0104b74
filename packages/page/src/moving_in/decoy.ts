import type { Control } from '../check/form_controls.ts';
import { ancestry, type PageElement } from '../check/markup.ts';

/** Names that services give to the field that people leave empty. */
const names = new Set(['_gotcha', '_honey', '_honeypot', 'botcheck', 'bot-field', 'bot_field', 'honeypot']);

const honeyed =
  /honey|gotcha|bot[-_]?(field|check|trap)|(anti|no)[-_]?spam|spam[-_]?trap|(^|[\s_-])hp([\s_-]|$)/i;

/** Texts that tell people to leave a decoy alone. */
const leaveItEmpty =
  /(leave|keep)\b.{0,40}\b(empty|blank)|(do not|don.?t)\b.{0,10}\bfill|if you.?(a|')?re (a )?(human|a bot)|(nicht|leer) (ausfüllen|lassen)|laisse[rz]\b.{0,20}\bvide|ne pas remplir|(dej[ae]|no)\b.{0,12}\b(vacío|rellen)|laat\b.{0,12}\bleeg|lascia\w*\b.{0,12}\bvuot/i;

const hiddenByStyle =
  /display\s*:\s*none|visibility\s*:\s*hidden|(left|top|right|bottom|text-indent)\s*:\s*-\d{3,}|opacity\s*:\s*0(\.0+)?\s*(;|$|!)|clip(-path)?\s*:|(?<![\w-])(width|height)\s*:\s*0/i;

const hiddenByClass =
  /(^|\s)(is-|u-)?(hidden|hide|invisible|visually-?hidden|sr-?only|screen-reader-text|d-none)(\s|$)/i;

/** `yes`: people neither see it nor are meant to fill it in. `perhaps`: people do not see it, and a script may show it. */
export type Verdict = 'yes' | 'perhaps' | 'no';

/**
 * Whether a control is a decoy. It takes more than that it is hidden: what is sent in a decoy is dropped, and pages hide
 * real fields until they are needed.
 */
export function isDecoy({ name, kind, element }: Control, form: PageElement, label: string): Verdict {
  if (name === '' || kind === 'submit' || kind === 'file') return 'no';
  const named = ['netlify-honeypot', 'data-netlify-honeypot'].some(
    (attribute) => form.attributes.get(attribute) === name,
  );
  if (named || names.has(name.toLowerCase())) return 'yes';
  // A box that a style draws is hidden itself.
  if (kind === 'hidden' || kind === 'radio' || element.attributes.has('required')) return 'no';
  const around = [...ancestry(element, form)];
  if (kind === 'checkbox') around.shift();
  const isHidden = around.some(isHiddenItself);
  const saysSo =
    leaveItEmpty.test(label) ||
    honeyed.test(name) ||
    around.some(({ attributes }) =>
      honeyed.test(`${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`),
    );
  const isSkipped = element.attributes.get('tabindex')?.startsWith('-') ?? false;
  if ((saysSo && (isHidden || isSkipped || leaveItEmpty.test(label))) || (isHidden && isSkipped))
    return 'yes';
  return isHidden ? 'perhaps' : 'no';
}

/** Whether class names hide what has them, as frameworks call it. */
export const isHiding = (classes: string): boolean => hiddenByClass.test(classes);

/** Whether people do not see it, whatever is around it. */
export const isHiddenItself = ({ attributes }: PageElement): boolean =>
  attributes.has('hidden') ||
  attributes.get('aria-hidden') === 'true' ||
  hiddenByStyle.test(attributes.get('style') ?? '') ||
  isHiding(attributes.get('class') ?? '');
