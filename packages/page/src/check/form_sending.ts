import type { Place } from '@form-relay/schema/diagnostics';
import { isForScript } from './form_targets.ts';
import { inherited, type PageElement, placeOf } from './markup.ts';
import {
  type Control,
  error,
  isSubmitButton,
  type PageCheck,
  type PageFinding,
  type PageForm,
  warning,
} from './page_form.ts';

/**
 * How the form is sent: as a urlencoded POST in UTF-8 (SPEC: POST /api/v1/submit/{form}), or in another
 * format that its config allows.
 */
export const formSending: PageCheck = (subject) => [
  ...method(subject),
  ...encodingType(subject),
  ...withoutFiles(subject),
  ...characters(subject),
];

/** A problem only for browsers that send the form without a script. */
const native = ({ isSentByScript }: PageForm, place: Place, code: string, message: string): PageFinding =>
  isSentByScript ? warning(place, code, `without JavaScript, ${message}`) : error(place, code, message);

const buttonsOf = ({ page, form }: PageForm) => page.forms.get(form)?.filter(isSubmitButton) ?? [];

function method(subject: PageForm): readonly PageFinding[] {
  const { form } = subject;
  const buttons = buttonsOf(subject);
  const hasAddress = ({ attributes }: PageElement) =>
    attributes.has('action') || attributes.has('formaction');
  if (![form, ...buttons].some(hasAddress)) {
    const missing = isForScript(form) ? "does not load the relay's script" : 'does not load htmx';
    const why = subject.isSentByScript ? '' : `: the page ${missing}`;
    const message = `this form cannot be sent${why}; give it an action and method="post" as well`;
    return [native(subject, form.place, 'action_missing', message)];
  }
  const posts = (element: PageElement, attribute: string) =>
    element.attributes.get(attribute)?.toLowerCase() === 'post';
  const isPosted = buttons.length > 0 && buttons.every((button) => posts(button, 'formmethod'));
  if (posts(form, 'method') || isPosted) return [];
  const message =
    'this form uses GET: values go into the address, and the relay answers 405; expected method="post"';
  return [native(subject, placeOf(form, 'method'), 'method_get', message)];
}

function encodingType(subject: PageForm): readonly PageFinding[] {
  const { form, config } = subject;
  const found = form.attributes.get('enctype')?.toLowerCase() ?? '';
  const place = placeOf(form, 'enctype');
  const message = `the relay answers 400 to ${found}; remove enctype`;
  // Browsers replace any other value by the default.
  if (found === 'text/plain') return [native(subject, place, 'enctype', message)];
  // htmx also uses this value.
  return found === multipart && !config.bodies.has(multipart) ? [error(place, 'enctype', message)] : [];
}

/** A form with files for which browsers would send only file names. */
function withoutFiles(subject: PageForm): readonly PageFinding[] {
  const { form, config, controls } = subject;
  const isFile = ({ name, kind, element }: Control) =>
    kind === 'file' &&
    !element.isDisabled &&
    config.fields.some((field) => field.name === name && field.takeFiles);
  if (!controls.some(isFile)) return [];
  const has = (element: PageElement, attribute: string) =>
    element.attributes.get(attribute)?.trim().toLowerCase() === multipart;
  // htmx also reads the form's own attribute.
  if (has(form, 'enctype')) return [];
  if (subject.isSentByScript && !isForScript(form)) {
    const [, encoding = ''] = inherited(form, 'hx-encoding') ?? [];
    if (encoding.trim() !== multipart) {
      const message = `htmx sends only the names of files; expected hx-encoding="${multipart}"`;
      return [error(placeOf(form, 'hx-post'), 'hx_encoding_missing', message)];
    }
  }
  const buttons = buttonsOf(subject);
  if (buttons.length > 0 && buttons.every((button) => has(button, 'formenctype'))) return [];
  const message = `only the names of files are sent; expected enctype="${multipart}"`;
  return [native(subject, placeOf(form, 'enctype'), 'enctype_missing', message)];
}

const multipart = 'multipart/form-data';

/** Browsers encode values in the page's encoding, but the relay expects UTF-8. */
function characters(subject: PageForm): readonly PageFinding[] {
  const { form, encoding } = subject;
  const charsets = form.attributes.get('accept-charset')?.toLowerCase() ?? '';
  const [accepted] = /[^\s,]+/.exec(charsets) ?? [];
  const sent = accepted ?? encoding;
  if (sent === 'utf-8' || sent === 'utf8' || sent.startsWith('utf-16')) return [];
  const refused = `letters such as ä are sent in ${sent}, and the relay answers 400; expected accept-charset="utf-8"`;
  return [native(subject, placeOf(form, 'accept-charset'), 'charset', refused)];
}
