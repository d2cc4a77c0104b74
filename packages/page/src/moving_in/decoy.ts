import type { Control } from '../check/form_controls.ts';
import { isWithin, nearest, type PageElement } from '../check/markup.ts';
import { asksToStayEmpty } from './stay_empty.ts';

/** Names that services and form plugins give to the field that people leave empty. */
const names =
  /^(_gotcha|simple_spc|_honey|_?honeypot|botcheck|bot[-_]field|frm_verify|nf-field-hp|_kb_verify_email|email_address_check|aG9uZXlwb3Q=?|item__\w+__(fluent_(checkme_|sf)|hp)|[\w-]+(\[[\w-]+\])*\[_*(hp|honeypot)\])$/i;

/** Classes and ids of which plugins make sure that only bots fill in what has them. */
const decoying =
  /honey-?_?pot|gform_validation_container|frm_verify|ff-hpsf|wpforms-field-hp|nf-field-hp|(^|[\s_])hp-(container|wrap)|mailpoet_hp|akismet-fields|kb-?verify-?email|bot-?field/i;

const honeyed =
  /honey|gotcha|bot[-_]?(field|check|trap)|(anti|no)[-_]?spam|spam[-_]?trap|(^|[\s_-])hp([\s_-]|$)/i;

const hiddenByStyle =
  /display\s*:\s*none|visibility\s*:\s*hidden|(left|top|right|bottom|text-indent|margin(-\w+)?)\s*:[^;]*-\d{3,}|transform\s*:[^;]*\d{3,}%|opacity\s*:\s*0(\.0+)?\s*(;|$|!)|clip(-path)?\s*:|(?<![\w-])(width|height)\s*:\s*0/i;

const hiddenByClass =
  /(^|\s)(is-|u-)?(hidden|hide|invisible|visually-?hidden|sr-?only|screen-reader-text|d-none)(\s|$)/i;

/** `named`: words or names say that people leave it empty. `hidden`: people neither see nor reach it. `perhaps`: a script may show it. */
export type Verdict = 'named' | 'hidden' | 'perhaps' | 'no';

/** Judges the controls of a form. To be hidden is not enough: pages hide real fields, too, and what is sent in a decoy is dropped. */
export function decoyFinder(form: PageElement, wordsAbout: (control: Control) => string) {
  const saysSo = (pattern: RegExp) =>
    nearest(({ attributes }) =>
      pattern.test(`${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`),
    );
  const [decoyAround, honeyAround] = [saysSo(decoying), saysSo(honeyed)];
  const hiddenAround = nearest(isHiddenItself);
  /** Elements around the whole form say nothing about a single control. */
  const isInForm = (found: PageElement | undefined) => found !== undefined && !isWithin(form, found);
  return (control: Control): Verdict => {
    const { name, kind, element } = control;
    if (name === '' || kind === 'submit' || kind === 'file') return 'no';
    const named = ['netlify-honeypot', 'data-netlify-honeypot'].some(
      (attribute) => form.attributes.get(attribute) === name,
    );
    if (named || names.test(name)) return 'named';
    if (kind === 'hidden' || kind === 'radio' || element.attributes.has('required')) return 'no';
    // A box that a style draws is hidden itself.
    const hiding = kind === 'checkbox' ? element.parent : element;
    const isHidden = isInForm(hiding && hiddenAround(hiding));
    const words = wordsAbout(control);
    const saysEmpty = words !== '' && asksToStayEmpty(words);
    const isHoney = saysEmpty || honeyed.test(name) || isInForm(honeyAround(element));
    const isSkipped = element.attributes.get('tabindex')?.trim().startsWith('-') ?? false;
    const isKnown = saysEmpty || isInForm(decoyAround(element)) || (isHoney && (isHidden || isSkipped));
    if (isKnown) return 'named';
    if (isHidden && isSkipped) return 'hidden';
    return isHidden ? 'perhaps' : 'no';
  };
}

/** Whether people do not see it, whatever is around it. */
export const isHiddenItself = ({ attributes }: PageElement): boolean =>
  attributes.has('hidden') ||
  attributes.get('aria-hidden') === 'true' ||
  hiddenByStyle.test(attributes.get('style') ?? '') ||
  hiddenByClass.test(attributes.get('class') ?? '');
