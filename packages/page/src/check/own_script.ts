/** The relay's own script (packages/element/src/element): which pages may have it, which forms it sends, and what they need. */
import { htmxAttribute, type Page, type PageElement, placeOf } from './markup.ts';
import { error, type PageCheck, type PageFinding, type PageForm, warning } from './page_finding.ts';

/** Whether a page loads it, or is a part of a page that may. */
export const mayHaveScript = (page: Page) => !page.isWhole || loadsScript(page);

/** A bundle of the site's own may hold it. */
export const mayBundleScript = ({ elements }: Page) =>
  elements.some(({ tag, form, attributes }) => tag === 'script' && !form && attributes.has('src'));

const loadsScript = ({ elements }: Page) =>
  elements.some(
    ({ tag, attributes }) =>
      tag === 'script' && /\/api\/v1\/form(\.\w+)?\.js([?#]|$)/.test(attributes.get('src') ?? ''),
  );

/** Whether the script sends this form where it is loaded. What htmx sends is left to it. */
export const isForScript = (form: PageElement) =>
  form.attributes.has('data-form-relay') || (hasClass(form) && htmxAttribute(form, 'hx-post') === undefined);

const hasClass = ({ attributes }: PageElement) =>
  attributes.get('class')?.split(/\s+/).includes('form-relay') ?? false;

/** Findings about forms that a site build changes. */
export const builds: PageCheck = (subject) => [...unseen(subject), ...labels(subject)];

/** A sanitizer may have taken out what the script knows the form by. */
function unseen({ form, page, config }: PageForm): readonly PageFinding[] {
  if (!loadsScript(page) || isForScript(form) || htmxAttribute(form, 'hx-post') !== undefined) return [];
  const message = `the relay's script leaves this form alone; expected data-form-relay="${config.id}"`;
  return [warning(form.place, 'form_not_seen', message)];
}

/** Builds that make ids shorter, or unique, do not always do it everywhere. */
const labels = ({ form, page }: PageForm): readonly PageFinding[] =>
  (page.forms.get(form) ?? [])
    .filter(({ tag, attributes }) => tag === 'label' && attributes.has('for'))
    .filter(({ attributes }) => !page.ids.has(attributes.get('for') ?? ''))
    .map((label) => {
      const message = 'nothing here has this id, so that the label belongs to no control';
      return warning(placeOf(label, 'for'), 'label_without_control', message);
    });

/** A form that was printed says its page as the config wanted it then. Others ask the relay. */
export const pageContext: PageCheck = ({ form, config }) => {
  const isAsked = config.provided.get('page') === true;
  const isPrinted = form.attributes.has('data-not-sent');
  if (!isForScript(form) || !isPrinted || form.attributes.has('data-page') === isAsked) return [];
  const [code, found] = isAsked
    ? ['page_not_said', 'when this was printed, page was not true, so that the relay does not learn its page']
    : ['page_still_said', 'this still sends the page, which the config no longer asks for'];
  return [
    warning(placeOf(form, 'data-page'), code, `${found}; print it again: relay form html ${config.id}`),
  ];
};

/** With `proof_of_work: true`, something in the page must solve the puzzle. */
export const puzzleSolver: PageCheck = (subject) => {
  const { config, page, form, controls } = subject;
  const asked = config.provided.get('proof');
  if (!asked?.isForAll || asked.withoutScript === 'allow') return [];
  if (page.forms.get(form)?.some(({ tag }) => tag === 'altcha-widget')) return [];
  // With htmx, the token brings the puzzle, and the form its script.
  const isOfRelay =
    (isForScript(form) && mayHaveScript(page)) || htmxAttribute(form, 'hx-post') !== undefined;
  if (isOfRelay || mayBundleScript(page) || controls.some(({ name }) => name === asked.field)) return [];
  const help = `relay form html ${config.id} prints a form that does, and ALTCHA's widget does, too`;
  const [severity, fate] =
    asked.withoutScript === 'refuse'
      ? [error, 'every submission is refused']
      : [warning, 'every visitor has to answer a question'];
  const message = `nothing here solves the puzzle, so that ${fate}; ${help}`;
  return [severity(form.place, 'puzzle_unsolved', message)];
};
