import type { Control } from '../check/form_controls.ts';
import { ancestry, type PageElement } from '../check/markup.ts';

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

/** `yes`: people neither see it nor are meant to fill it in. `perhaps`: people do not see it, and a script may show it. */
type Verdict = 'yes' | 'perhaps' | 'no';

/** To be hidden is not enough: pages hide real fields, too, and what is sent in a decoy is dropped. */
export function isDecoy({ name, kind, element }: Control, form: PageElement): Verdict {
  if (name === '' || kind === 'submit' || kind === 'file') return 'no';
  const named = ['netlify-honeypot', 'data-netlify-honeypot'].some(
    (attribute) => form.attributes.get(attribute) === name,
  );
  if (named || names.test(name)) return 'yes';
  // A box that a style draws is hidden itself.
  if (kind === 'hidden' || kind === 'radio' || element.attributes.has('required')) return 'no';
  const around = [...ancestry(element, form)];
  const called = (pattern: RegExp) =>
    around.some(({ attributes }) =>
      pattern.test(`${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`),
    );
  const hiding = kind === 'checkbox' ? around.slice(1) : around;
  const isHidden = hiding.some(isHiddenItself);
  const saysSo = honeyed.test(name) || called(honeyed);
  const isSkipped = element.attributes.get('tabindex')?.startsWith('-') ?? false;
  if (called(decoying) || (saysSo && (isHidden || isSkipped)) || (isHidden && isSkipped)) return 'yes';
  return isHidden ? 'perhaps' : 'no';
}

/** Whether people do not see it, whatever is around it. */
export const isHiddenItself = ({ attributes }: PageElement): boolean =>
  attributes.has('hidden') ||
  attributes.get('aria-hidden') === 'true' ||
  hiddenByStyle.test(attributes.get('style') ?? '') ||
  hiddenByClass.test(attributes.get('class') ?? '');
