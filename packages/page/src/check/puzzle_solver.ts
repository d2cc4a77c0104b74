import { proof } from '@form-relay/relay/features';
import { judgeAddress } from './form_address.ts';
import { htmxAttribute, type PageElement, placeOf } from './markup.ts';
import { isForScript, mayBundleScript, mayHaveScript } from './own_script.ts';
import { error, type PageCheck, type PageFinding, type PageForm, warning } from './page_finding.ts';

/** With `proof_of_work: true`, something in the page must solve the puzzle. */
export const puzzleSolver: PageCheck = (subject) => {
  const { config, page, form, controls } = subject;
  const asked = proof.of(config);
  if (asked?.when !== 'always' || asked.withoutScript === 'allow') return [];
  const widgets = page.forms.get(form)?.filter(({ tag }) => tag === 'altcha-widget') ?? [];
  if (widgets.length > 0) return widgets.flatMap((widget) => widgetFindings(widget, asked.field, subject));
  // With htmx, the token brings the puzzle, and the form its script.
  const isOfRelay =
    (isForScript(form) && mayHaveScript(page)) || htmxAttribute(form, 'hx-post') !== undefined;
  if (isOfRelay || mayBundleScript(page) || controls.some(({ name }) => name === asked.field)) return [];
  const help = `relay form html ${config.id} prints a form that does, and ALTCHA's widget does, too`;
  const finding =
    asked.withoutScript === 'refuse'
      ? error(
          form.place,
          'puzzle_unsolved',
          `nothing here solves the puzzle, so that every submission is refused; ${help}`,
        )
      : warning(
          form.place,
          'puzzle_unsolved',
          `nothing here solves the puzzle, so that every visitor has to answer a question; ${help}`,
        );
  return [finding];
};

function widgetFindings(widget: PageElement, field: string, subject: PageForm): readonly PageFinding[] {
  const place = placeOf(widget, 'challenge');
  const verdict = judgeAddress(widget.attributes.get('challenge') ?? '', place, 'challenge', subject);
  if (!verdict) {
    const url = `/api/v1/challenge/${encodeURIComponent(subject.config.id)}`;
    return [warning(place, 'puzzle_of_another_form', `the puzzle is not this form's; expected ${url}`)];
  }
  const name = widget.attributes.get('name') ?? 'altcha';
  const named = placeOf(widget, 'name');
  return [
    ...(verdict.ok ? [] : [verdict.error]),
    ...(name === field
      ? []
      : [
          error(
            named,
            'puzzle_other_field',
            `the config reads the solution from another field; expected name="${field}"`,
          ),
        ]),
  ];
}
