import { type Control, initialValue } from './controls.ts';
import { error, type PageCheck, type PageFinding, quote, warning } from './finding.ts';
import { ancestry, type PageElement, placeOf } from './page.ts';

/** The decoy must be there, empty, and left alone by visitors and their browsers (SPEC: Submission rules 1). */
export const honeypot: PageCheck = ({ config, controls, form }) => {
  const name = config.spam?.honeypot;
  if (name === undefined) return [];
  const own = controls.filter((control) => control.name === name);
  if (own.length === 0) {
    const help = `relay form html ${config.id} prints one`;
    return [
      error(form.place, `the honeypot ${quote(name)} is missing, so that bots are not noticed; ${help}`),
    ];
  }
  return own.flatMap((control) => {
    const { element, kind } = control;
    const { attributes } = element;
    const dropped = 'so that every submission would be dropped';
    return [
      ...(initialValue(control) === ''
        ? []
        : [error(placeOf(element, 'value'), `the honeypot is filled, ${dropped}`)]),
      ...(attributes.has('required')
        ? [error(placeOf(element, 'required'), `browsers demand that the honeypot is filled in, ${dropped}`)]
        : []),
      ...(element.isDisabled
        ? [error(placeOf(element, 'disabled'), 'the honeypot is disabled, so that bots are not noticed')]
        : []),
      ...(kind === 'hidden'
        ? [
            warning(
              placeOf(element, 'type'),
              'most bots leave a hidden field empty; use a text field that a style hides',
            ),
          ]
        : []),
      ...shownByStyles(element, form),
      ...(isFilledByBrowsers(control, form.attributes.get('autocomplete'))
        ? [
            warning(
              placeOf(element, 'autocomplete'),
              'browsers may fill the honeypot for people, whose submissions are then dropped; expected autocomplete="off"',
            ),
          ]
        : []),
    ];
  });
};

/** Any rule of a stylesheet wins against `hidden`; with `inert`, people still cannot fill in what it shows (D30). */
function shownByStyles(element: PageElement, form: PageElement): readonly PageFinding[] {
  const around = [...ancestry(element, form)];
  const hidden = around.find(({ attributes }) => attributes.has('hidden'));
  const isSafe = ({ tag, attributes }: PageElement) =>
    attributes.has('inert') || attributes.has('style') || (tag.includes('-') && attributes.has('hidden'));
  if (!hidden || around.some(isSafe)) return [];
  const message = `a style such as ${hidden.tag} { display: block } shows the honeypot to people, whose submissions are then dropped; expected <form-extra hidden inert> around it`;
  return [warning(placeOf(hidden, 'hidden'), message)];
}

function isFilledByBrowsers({ element, kind }: Control, formAutocomplete: string | undefined): boolean {
  if (['hidden', 'checkbox', 'radio'].includes(kind)) return false;
  const autocomplete = element.attributes.get('autocomplete') ?? formAutocomplete;
  return !/^\s*(off|new-password|one-time-code)\s*$/i.test(autocomplete ?? '');
}
