import type { Place } from '@form-relay/relay/base';
import { type Control, isSubmitButton } from './form_controls.ts';
import { inherited, type PageElement, placeOf } from './markup.ts';
import { isForScript } from './own_script.ts';
import { error, type PageCheck, type PageFinding, type PageForm, warning } from './page_finding.ts';

/** How the form is sent: a urlencoded POST in UTF-8 is taken (SPEC: POST /api/v1/submit/{form}), and what its config adds. */
export const formSending: PageCheck = (subject) => [
  ...method(subject),
  ...encodingType(subject),
  ...withoutFiles(subject),
  ...characters(subject),
  ...(subject.isSentByScript ? htmxEncoding(subject) : []),
];

/** Concerns only browsers that send the form without a script. */
const native = ({ isSentByScript }: PageForm, place: Place, code: string, message: string): PageFinding =>
  isSentByScript ? warning(place, code, `without JavaScript, ${message}`) : error(place, code, message);

const buttonsOf = ({ page, form }: PageForm) => page.forms.get(form)?.filter(isSubmitButton) ?? [];

function method(subject: PageForm): readonly PageFinding[] {
  const { form } = subject;
  const buttons = buttonsOf(subject);
  const hasAddress = ({ attributes }: PageElement) =>
    attributes.has('action') || attributes.has('formaction');
  if (![form, ...buttons].some(hasAddress)) {
    const missing = isForScript(form) ? "does not load the relay's script" : 'loads no htmx';
    const why = subject.isSentByScript ? '' : `: the page ${missing}`;
    const message = `this form cannot be sent${why}; give it an action and method="post" as well`;
    return [native(subject, form.place, 'action_missing', message)];
  }
  const lost = 'what visitors write goes into the address, and the relay answers 405';
  // A button can override the form's method.
  const overriding = buttons.filter(({ attributes }) => attributes.has('formmethod'));
  const usesOwn = buttons.length === 0 || overriding.length < buttons.length;
  return [
    ...(usesOwn ? [{ element: form, attribute: 'method', what: 'this form is sent' }] : []),
    ...overriding.map((element) => ({ element, attribute: 'formmethod', what: 'this button sends' })),
  ]
    .filter(({ element, attribute }) => element.attributes.get(attribute)?.toLowerCase() !== 'post')
    .map(({ element, attribute, what }) => {
      const message = `${what} with get: ${lost}; expected ${attribute}="post"`;
      return native(subject, placeOf(element, attribute), 'method_get', message);
    });
}

function encodingType(subject: PageForm): readonly PageFinding[] {
  return [subject.form, ...buttonsOf(subject)].flatMap((element) => {
    const attribute = element === subject.form ? 'enctype' : 'formenctype';
    const found = element.attributes.get(attribute)?.toLowerCase() ?? '';
    // Browsers take any other value for the default.
    if (found !== 'multipart/form-data' && found !== 'text/plain') return [];
    if (found === 'multipart/form-data' && subject.config.bodies.has('multipart')) return [];
    const place = placeOf(element, attribute);
    const message = `the relay answers 400 to ${found}; leave ${attribute} out`;
    // htmx also obeys the form's.
    const isMultipart = found === 'multipart/form-data' && attribute === 'enctype';
    return [isMultipart ? error(place, 'enctype', message) : native(subject, place, 'enctype', message)];
  });
}

/** A form with files whose browser would send their names alone. */
function withoutFiles(subject: PageForm): readonly PageFinding[] {
  const { form, config, controls } = subject;
  const isFile = ({ name, kind, element }: Control) =>
    kind === 'file' &&
    !element.isDisabled &&
    config.fields.some((field) => field.name === name && field.takeFiles);
  if (!controls.some(isFile)) return [];
  const has = (element: PageElement, attribute: string) =>
    element.attributes.get(attribute)?.trim().toLowerCase() === multipart;
  const expected = `expected enctype="${multipart}"`;
  // htmx obeys the form's own attribute, too.
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
  return [
    native(
      subject,
      placeOf(form, 'enctype'),
      'enctype_missing',
      `only the names of files are sent; ${expected}`,
    ),
  ];
}

const multipart = 'multipart/form-data';

/** Browsers send the bytes of the page's own encoding, and the relay takes UTF-8. */
function characters(subject: PageForm): readonly PageFinding[] {
  const { form, encoding } = subject;
  const charsets = form.attributes.get('accept-charset')?.toLowerCase() ?? '';
  const [accepted] = /[^\s,]+/.exec(charsets) ?? [];
  const sent = accepted ?? encoding;
  if (sent === 'utf-8' || sent === 'utf8' || sent.startsWith('utf-16')) return [];
  const refused = `letters such as ä are sent in ${sent}, and the relay answers 400; expected accept-charset="utf-8"`;
  return [native(subject, placeOf(form, 'accept-charset'), 'charset', refused)];
}

/** htmx can send other things than urlencoded forms. */
function htmxEncoding({ form, config: { bodies } }: PageForm): readonly PageFinding[] {
  const [encoded, encoding = ''] = inherited(form, 'hx-encoding') ?? [];
  const [extended, extensions = ''] = inherited(form, 'hx-ext') ?? [];
  const refused = 'the relay answers 400 to multipart/form-data; leave it out';
  const json = 'json-enc sends JSON, and the relay answers 400; leave it out';
  return [
    ...(encoded && encoding.trim() === multipart && !bodies.has('multipart')
      ? [error(placeOf(encoded, 'hx-encoding'), 'hx_encoding', refused)]
      : []),
    ...(extended && !bodies.has('json') && /(^|[\s,])json-enc\b/.test(extensions)
      ? [error(placeOf(extended, 'hx-ext'), 'hx_ext_json', json)]
      : []),
  ];
}
