import { type Captcha, captchaProviders } from '@form-relay/spam/captcha/captcha';
import { widgets as captchaWidgets } from '@form-relay/spam/captcha/widget';
import { ancestry, type Page, type PageElement, placeOf } from './markup.ts';
import {
  type Control,
  error,
  initialValue,
  type PageCheck,
  type PageFinding,
  type PageForm,
  quote,
  warning,
} from './page_form.ts';

/** With a captcha, the provider's widget must be in the form (SPEC: Submission rules 3). */
export const captchaWidget: PageCheck = (subject) => {
  const { config, page, form } = subject;
  const widgets = page.forms.get(form)?.filter(widgetOf) ?? [];
  const wanted = config.provided.get('captcha');
  if (wanted?.onlyInDoubt && widgets.length === 0) return [];
  if (wanted) return captchaFindings(wanted, widgets, subject);
  const unverified = 'the page has a captcha that is not verified, because the config has none';
  return widgets.map((widget) => warning(placeOf(widget, 'class'), 'captcha_unverified', unverified));
};

/** The name of the field that the provider's script adds to an element of this class. */
function widgetOf({ attributes }: PageElement): string | undefined {
  const classes = attributes.get('class')?.split(/\s+/) ?? [];
  const isWidget = (provider: Captcha['provider']) => {
    const widget = captchaWidgets[provider];
    return widget.kind === 'box' && classes.includes(widget.className);
  };
  return providers.map(([provider, { field }]) => (isWidget(provider) ? field : undefined)).find(Boolean);
}
const providers = Object.entries(captchaProviders) as [Captcha['provider'], { readonly field: string }][];

function captchaFindings(
  captcha: Captcha,
  widgets: readonly PageElement[],
  subject: PageForm,
): readonly PageFinding[] {
  const { provider, field: tokenField } = captcha;
  const ownField = captchaProviders[provider].field;
  const own = widgets.filter((element) => widgetOf(element) === ownField);
  const inputs = subject.controls.filter(({ name }) => name === tokenField).map(({ element }) => element);
  if (own.length === 0 && inputs.length === 0) return absent(captcha, ownField, widgets, subject);
  return [
    ...[...own, ...inputs].flatMap((element) => otherKey(captcha, element)),
    ...own.filter(({ attributes }) => !attributes.get('data-sitekey')).map(keyless),
    ...(tokenField === ownField ? [] : own.flatMap((element) => otherName(tokenField, element))),
  ];
}

const keyless = ({ place }: PageElement) =>
  error(place, 'captcha_without_key', `this captcha has no data-sitekey, and does not appear: ${refused}`);

function otherName(tokenField: string, element: PageElement): readonly PageFinding[] {
  const attribute = 'data-response-field-name';
  if (element.attributes.get(attribute) === tokenField) return [];
  const message = `the config reads the captcha's token from another field: ${refused}; expected ${attribute}="${tokenField}"`;
  return [error(placeOf(element, attribute), 'captcha_other_field', message)];
}

const refused = 'every submission is answered with 400';

function otherKey({ siteKey }: Captcha, element: PageElement): readonly PageFinding[] {
  const found = element.attributes.get('data-sitekey');
  if (!found || siteKey === undefined || found === siteKey) return [];
  const place = placeOf(element, 'data-sitekey');
  const message = "this is not the config's site_key; the config's secret must belong to this one";
  return [warning(place, 'captcha_other_key', message)];
}

function absent(
  { provider, siteKey }: Captcha,
  ownField: string,
  widgets: readonly PageElement[],
  { config, page, form }: PageForm,
): readonly PageFinding[] {
  const [other] = widgets;
  if (other) {
    const message = `the config's captcha is from ${provider}, but this one is not: ${refused}; use its widget, or change the provider`;
    return [error(placeOf(other, 'class'), 'captcha_of_another_provider', message)];
  }
  const outside = page.elements.find((element) => widgetOf(element) === ownField && !element.form);
  if (outside) {
    const message = `this captcha is outside the form, which does not send its token: ${refused}; move it into the form`;
    return [error(placeOf(outside, 'class'), 'captcha_outside', message)];
  }
  // With `?render=`, the page's own script makes the widget or requests the token.
  const [script] = captchaWidgets[provider].script.split('?', 1);
  const isMadeByScript = page.elements.some(
    ({ tag, attributes }) => tag === 'script' && attributes.get('src')?.startsWith(`${script}?render=`),
  );
  if (isMadeByScript) return [];
  const help =
    siteKey === undefined
      ? 'add its site_key to the config, and print the form again'
      : `relay form html ${config.id} prints a form with the captcha`;
  return [error(form.place, 'captcha_missing', `the captcha (${provider}) is missing: ${refused}; ${help}`)];
}

/** The decoy field must be there, empty, and out of reach of visitors and their browsers (SPEC: Submission rules 1). */
export const honeypotControl: PageCheck = ({ config, controls, form, page }) => {
  const name = config.provided.get('honeypot');
  if (name === undefined) return [];
  const own = controls.filter((control) => control.name === name);
  const filled = scriptFilled(page);
  if (own.length > 0) return own.flatMap((control) => findings(control, form, filled));
  const message = `the honeypot ${quote(name)} is missing, so bots are not detected; print one with relay form html ${config.id}`;
  return [error(form.place, 'honeypot_missing', message)];
};

function findings(control: Control, form: PageElement, filled: ReadonlySet<string>): readonly PageFinding[] {
  const { element, kind } = control;
  const oftenEmpty = 'most bots leave hidden inputs empty; use a text field hidden by CSS';
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

/**
 * Mistakes that make a control useless as a decoy, or that drop genuine submissions. `relay init` rejects a
 * control with such a mistake.
 */
export function honeypotFaults(control: Control, filled: ReadonlySet<string>): readonly PageFinding[] {
  const { element, kind, name, choices } = control;
  const dropped = 'so every submission would be dropped';
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
    add(error, 'disabled', 'honeypot_disabled', 'the honeypot is disabled, so bots are not detected');
  return found;
}

/** Sets a non-empty value, or ticks a box. */
const assignment = new RegExp(
  [
    String.raw`\.(?:value|defaultValue)\s*(?:\|\||\?\?|\+)?=(?!=)(?!\s*(['"${'`'}])\1)`,
    String.raw`\.val\((?!\s*(?:(['"${'`'}])\2)?\s*\))`,
    String.raw`(?:\.attr|\.prop|setAttribute)\(\s*['"${'`'}](?:value|checked)['"${'`'}]\s*,(?!\s*(?:(['"${'`'}])\3|false))`,
    String.raw`\.(?:checked|defaultChecked)\s*=\s*(?:true|!0|1)`,
  ].join('|'),
  'g',
);

/** The scripts of an element: its own text, or handlers such as `onsubmit`. */
const scriptsOf = ({ tag, text, attributes }: PageElement): readonly string[] => [
  ...(tag === 'script' ? [text] : []),
  ...[...attributes].flatMap(([name, value]) => (/^(on|hx-on|x-on|@)/.test(name) ? [value] : [])),
];

/** Cached by page, because each form of the page asks. */
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

/** Any CSS rule overrides `hidden`. With `inert`, people still cannot fill in the field if it then shows. */
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
