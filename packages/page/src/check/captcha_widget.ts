import { type Captcha, captchaProviders } from '@form-relay/spam/captcha/captcha';
import { widgets as captchaWidgets } from '@form-relay/spam/captcha/widget';
import { type PageElement, placeOf } from './markup.ts';
import { error, type PageCheck, type PageFinding, type PageForm, warning } from './page_finding.ts';

/** With a captcha, the provider's widget must be in the form (SPEC: Submission rules 3). */
export const captchaWidget: PageCheck = (subject) => {
  const { config, page, form } = subject;
  const widgets = page.forms.get(form)?.filter(widgetOf) ?? [];
  const wanted = config.provided.get('captcha');
  if (wanted) return captchaFindings(wanted, widgets, subject);
  const unverified = 'visitors solve a captcha here that nobody verifies: the config has none';
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

const refused = 'every submission is answered 400';

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
    const message = `this is another provider's captcha, and the config's is ${provider}: ${refused}`;
    return [error(placeOf(other, 'class'), 'captcha_of_another_provider', message)];
  }
  const outside = page.elements.find((element) => widgetOf(element) === ownField && !element.form);
  if (outside) {
    const message = `this captcha is outside of the form, which does not send its token: ${refused}; move it into the form`;
    return [error(placeOf(outside, 'class'), 'captcha_outside', message)];
  }
  // With `?render=`, a script of the page's own makes the widget or asks for the token.
  const [script] = captchaWidgets[provider].script.split('?', 1);
  const isMadeByScript = page.elements.some(
    ({ tag, attributes }) => tag === 'script' && attributes.get('src')?.startsWith(`${script}?render=`),
  );
  if (isMadeByScript) return [];
  const help =
    siteKey === undefined
      ? 'give the config its site_key, and print the form again'
      : `relay form html ${config.id} prints it`;
  return [error(form.place, 'captcha_missing', `the captcha (${provider}) is missing: ${refused}; ${help}`)];
}
