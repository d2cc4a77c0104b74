import { addressOf } from './form_address.ts';
import { htmxAttribute, type Page, type PageElement, placeOf } from './markup.ts';
import { type PageCheck, type PageFinding, type PageForm, type Subject, warning } from './page_finding.ts';

/** The relay's own script (packages/element/src/element): which pages may have it, and which forms it sends. */

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

/** For a page that lacks it; from the relay that the page has another address of. */
export const scriptTag = (subject: Subject, address = addressOf('form', subject)) =>
  `<script src="${address.replace(/\/api\/v1\/.*/s, '/api/v1/form.js')}" defer></script>`;

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
