import { type Control, initialValue } from './form_controls.ts';
import { ancestry, type PageElement, placeOf } from './markup.ts';
import { error, type PageCheck, type PageFinding, quote, warning } from './page_finding.ts';

/** The decoy must be there, empty, and left alone by visitors and their browsers (SPEC: Submission rules 1). */
export const honeypotControl: PageCheck = ({ config, controls, form }) => {
  const name = config.provided.get('honeypot');
  if (name === undefined) return [];
  const own = controls.filter((control) => control.name === name);
  if (own.length > 0) return own.flatMap((control) => findings(control, form));
  const message = `the honeypot ${quote(name)} is missing, so that bots are not noticed; relay form html ${config.id} prints one`;
  return [error(form.place, 'honeypot_missing', message)];
};

function findings(control: Control, form: PageElement): readonly PageFinding[] {
  const { element, kind } = control;
  const { attributes } = element;
  const dropped = 'so that every submission would be dropped';
  const oftenEmpty = 'most bots leave a hidden field empty; use a text field that a style hides';
  const byBrowsers =
    'browsers may fill the honeypot for people, whose submissions are then dropped; expected autocomplete="off"';
  const found: PageFinding[] = [];
  const add = (severity: typeof error, attribute: string, code: string, message: string) =>
    found.push(severity(placeOf(element, attribute), code, message));
  if (initialValue(control) !== '')
    add(error, 'value', 'honeypot_filled', `the honeypot is filled, ${dropped}`);
  if (attributes.has('required'))
    add(error, 'required', 'honeypot_required', `browsers demand that the honeypot is filled in, ${dropped}`);
  if (element.isDisabled)
    add(error, 'disabled', 'honeypot_disabled', 'the honeypot is disabled, so that bots are not noticed');
  if (kind === 'hidden') add(warning, 'type', 'honeypot_of_type_hidden', oftenEmpty);
  if (isFilledByBrowsers(control, form.attributes.get('autocomplete')))
    add(warning, 'autocomplete', 'honeypot_autocompleted', byBrowsers);
  return [...found, ...shownByStyles(element, form)];
}

/** Any rule of a stylesheet overrides `hidden`. With `inert`, people still cannot fill in what then shows. */
function shownByStyles(element: PageElement, form: PageElement): readonly PageFinding[] {
  const around = [...ancestry(element, form)];
  const hidden = around.find(({ attributes }) => attributes.has('hidden'));
  const isSafe = ({ tag, attributes }: PageElement) =>
    attributes.has('inert') || attributes.has('style') || (tag.includes('-') && attributes.has('hidden'));
  if (!hidden || around.some(isSafe)) return [];
  const message = `a style such as ${hidden.tag} { display: block } shows the honeypot to people, whose submissions are then dropped; expected <form-extra hidden inert> around it`;
  return [warning(placeOf(hidden, 'hidden'), 'honeypot_shown_by_styles', message)];
}

function isFilledByBrowsers({ element, kind }: Control, formAutocomplete: string | undefined): boolean {
  if (['hidden', 'checkbox', 'radio'].includes(kind)) return false;
  const autocomplete = element.attributes.get('autocomplete') ?? formAutocomplete;
  return !/^\s*(off|new-password|one-time-code)\s*$/i.test(autocomplete ?? '');
}
