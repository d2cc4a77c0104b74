import { htmxAttribute } from './markup.ts';
import { isForScript, mayBundleScript, mayHaveScript } from './own_script.ts';
import { error, type PageCheck, warning } from './page_finding.ts';

/** With `proof_of_work: true`, something in the page must solve the puzzle. */
export const puzzleSolver: PageCheck = (subject) => {
  const { config, page, form, controls } = subject;
  const asked = config.provided.get('proof');
  if (asked?.when !== 'always' || asked.withoutScript === 'allow') return [];
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
