import { type Control, initialValue } from './form_controls.ts';
import { ancestry, type Page, type PageElement, placeOf } from './markup.ts';
import { error, type PageCheck, type PageFinding, quote, warning } from './page_finding.ts';

/** The decoy must be there, empty, and untouched by visitors and their browsers (SPEC: Submission rules 1). */
export const honeypotControl: PageCheck = ({ config, controls, form, page }) => {
  const name = config.provided.get('honeypot');
  if (name === undefined) return [];
  const own = controls.filter((control) => control.name === name);
  const filled = scriptFilled(page);
  if (own.length > 0) return own.flatMap((control) => findings(control, form, filled));
  const message = `the honeypot ${quote(name)} is missing, so that bots are not noticed; relay form html ${config.id} prints one`;
  return [error(form.place, 'honeypot_missing', message)];
};

function findings(control: Control, form: PageElement, filled: ReadonlySet<string>): readonly PageFinding[] {
  const { element, kind } = control;
  const oftenEmpty = 'most bots leave a hidden field empty; use a text field that a style hides';
  const byBrowsers =
    'browsers may fill the honeypot for people, whose submissions are then dropped; expected autocomplete="off"';
  const found = [...honeypotFaults(control, filled)];
  const add = (attribute: string, code: string, message: string) =>
    found.push(warning(placeOf(element, attribute), code, message));
  if (kind === 'hidden') add('type', 'honeypot_of_type_hidden', oftenEmpty);
  if (isFilledByBrowsers(control, form.attributes.get('autocomplete')))
    add('autocomplete', 'honeypot_autocompleted', byBrowsers);
  return [...found, ...shownByStyles(element, form)];
}

/** Faults that make a control useless as a decoy, or drop what people send. `relay init` takes no control with such a fault. */
export function honeypotFaults(control: Control, filled: ReadonlySet<string>): readonly PageFinding[] {
  const { element, kind, name, choices } = control;
  const dropped = 'so that every submission would be dropped';
  const found: PageFinding[] = [];
  const add = (severity: typeof error, attribute: string, code: string, message: string) =>
    found.push(severity(placeOf(element, attribute), code, message));
  const isPressed = kind === 'submit' && choices?.some(({ value }) => value !== '');
  if (initialValue(control) !== '' || isPressed)
    add(error, 'value', 'honeypot_filled', `the honeypot is filled, ${dropped}`);
  else if (filled.has(name) || filled.has(element.attributes.get('id') ?? ''))
    add(warning, 'name', 'honeypot_filled_by_script', `a script of the page fills the honeypot, ${dropped}`);
  if (element.attributes.has('required'))
    add(error, 'required', 'honeypot_required', `browsers demand that the honeypot is filled in, ${dropped}`);
  if (element.isDisabled)
    add(error, 'disabled', 'honeypot_disabled', 'the honeypot is disabled, so that bots are not noticed');
  return found;
}

/** Sets a value that is not empty, or a tick. */
const assignment = new RegExp(
  [
    String.raw`\.(?:value|defaultValue)\s*(?:\|\||\?\?|\+)?=(?!=)(?!\s*(['"${'`'}])\1)`,
    String.raw`\.val\((?!\s*(?:(['"${'`'}])\2)?\s*\))`,
    String.raw`(?:\.attr|\.prop|setAttribute)\(\s*['"${'`'}](?:value|checked)['"${'`'}]\s*,(?!\s*(?:(['"${'`'}])\3|false))`,
    String.raw`\.(?:checked|defaultChecked)\s*=\s*(?:true|!0|1)`,
  ].join('|'),
  'g',
);

/** The scripts of an element: its own, or handlers such as `onsubmit`. */
const scriptsOf = ({ tag, text, attributes }: PageElement): readonly string[] => [
  ...(tag === 'script' ? [text] : []),
  ...[...attributes].flatMap(([name, value]) => (/^(on|hx-on|x-on|@)/.test(name) ? [value] : [])),
];

/** By page, since each of its forms asks. */
const filledIn = new WeakMap<Page, ReadonlySet<string>>();

/** The names and ids that the scripts of a page mention shortly before they set a value. */
export function scriptFilled(page: Page): ReadonlySet<string> {
  const known = filledIn.get(page) ?? namesFilled(page);
  filledIn.set(page, known);
  return known;
}

function namesFilled({ elements }: Page): ReadonlySet<string> {
  const filled = new Set<string>();
  for (const written of elements.flatMap(scriptsOf)) {
    // JotForm writes "si" + "mple".
    const script = written.replaceAll(/(['"`])\s*\+\s*\1/g, '');
    for (const { index } of script.matchAll(assignment)) {
      const before = script.slice(Math.max(0, index - 160), index);
      const near = before.split(/getElementById|getElementsByName|querySelector|\$\(/).at(-1) ?? '';
      for (const [, ...quoted] of near.matchAll(/'([^']*)'|"([^"]*)"|`([^`]*)`/g))
        filled.add((quoted.find(Boolean) ?? '').replace(/^#/, ''));
      for (const [word] of near.matchAll(/[\w$-]+/g)) filled.add(word);
    }
  }
  return filled;
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
