/** The relay's own script (packages/element/src/element): which pages may have it, which forms it sends, and what they need. */
import { proofField } from '@form-relay/spam/proof/challenge';
import { htmxAttribute, type Page, type PageElement } from './markup.ts';
import { type PageCheck, warning } from './page_finding.ts';

/** Whether a page loads it, or is a part of a page that may. */
export const mayHaveScript = (page: Page) => !page.isWhole || loadsScript(page);

/** A bundle of the site's own may hold it. */
export const mayBundleScript = ({ elements }: Page) =>
  elements.some(({ tag, form, attributes }) => tag === 'script' && !form && attributes.has('src'));

const loadsScript = ({ elements }: Page) =>
  elements.some(
    ({ tag, attributes }) =>
      tag === 'script' && /\/api\/v1\/form\.js([?#]|$)/.test(attributes.get('src') ?? ''),
  );

/** Whether the script sends this form where it is loaded. Leaves forms with `hx-post` to htmx. */
export const isForScript = (form: PageElement) =>
  form.attributes.has('data-form-relay') || (hasClass(form) && htmxAttribute(form, 'hx-post') === undefined);

const hasClass = ({ attributes }: PageElement) =>
  attributes.get('class')?.split(/\s+/).includes('form-relay') ?? false;

/** A sanitizer may have taken out what the script knows the form by. */
export const unseen: PageCheck = ({ form, page, config }) => {
  if (!loadsScript(page) || isForScript(form) || htmxAttribute(form, 'hx-post') !== undefined) return [];
  const message = `the relay's script leaves this form alone; expected data-form-relay="${config.id}"`;
  return [warning(form.place, 'form_not_seen', message)];
};

/** With `proof_of_work: true`, something in the page must solve the puzzle. */
export const puzzleSolver: PageCheck = (subject) => {
  const { config, page, form, controls } = subject;
  const wanted = config.provided.get('proof');
  if (!wanted?.isForAll) return [];
  if (page.forms.get(form)?.some(({ tag }) => tag === 'altcha-widget')) return [];
  // With htmx, the token brings the puzzle, and the form its script.
  const isOfRelay =
    (isForScript(form) && mayHaveScript(page)) || htmxAttribute(form, 'hx-post') !== undefined;
  if (isOfRelay || mayBundleScript(page) || controls.some(({ name }) => name === proofField)) return [];
  const help = `relay form html ${config.id} prints a form that does, and ALTCHA's widget does, too`;
  const message = `nothing here solves the puzzle, so that every visitor has to answer a question; ${help}`;
  return [warning(form.place, 'puzzle_unsolved', message)];
};
