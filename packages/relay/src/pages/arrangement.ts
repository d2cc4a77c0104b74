import { attributes, type Html, type HtmlValue, html } from '../base/html.ts';
import { type Classes, withOwn } from '../fields/classes.ts';
import type { FieldRange, Form } from '../form.ts';
import { withLinks } from '../schema/linked_text.ts';

/**
 * The rendered fields, one each and in their order, with the notes between them, in their groups and steps. `level` is
 * that of the steps' headings.
 */
export function arrange(form: Form, rendered: readonly HtmlValue[], level: 2 | 3): HtmlValue {
  const { notes, groups, steps, classes = {} } = form;
  if (notes.length === 0 && groups.length === 0 && steps.length === 0) return rendered;
  const notesBefore = (index: number) =>
    notes.filter(({ before }) => before === index).map((note) => noteView(note, classes));
  const items = rendered.map((field, index) => [notesBefore(index), field]);
  const grouped = [
    ...wrap(items, groups, (group, inside) => groupView(group, inside, classes)),
    notesBefore(rendered.length),
  ];
  return wrap(grouped, steps, (step, inside) =>
    stepView(step, steps.indexOf(step) + 1, inside, level, classes),
  );
}

/** The items of each run are one item in the place of its first. */
function wrap(
  items: readonly HtmlValue[],
  runs: readonly FieldRange[],
  view: (run: FieldRange, inside: readonly HtmlValue[]) => Html,
): readonly HtmlValue[] {
  const wrapped = [...items];
  for (const run of runs) {
    const inside = items.slice(run.from, run.to);
    wrapped.fill(undefined, run.from, run.to);
    wrapped[run.from] = view(run, inside);
  }
  return wrapped;
}

const noteView = ({ text }: Form['notes'][number], { field_note }: Classes): Html =>
  html`<p class="${withOwn('field-note', field_note)}">${withLinks(text)}</p>\n`;

const groupView = ({ title }: FieldRange, inside: readonly HtmlValue[], classes: Classes): Html =>
  html`<fieldset class="${withOwn('field-group', classes.group)}">\n<legend${attributes({ class: classes.group_legend })}>${withLinks(title)}</legend>\n${inside}</fieldset>\n`;

/** The script shows one step at a time. Without it, all of them stand on the page, one below the other. */
function stepView(
  { title }: FieldRange,
  number: number,
  inside: readonly HtmlValue[],
  level: 2 | 3,
  { step_title }: Classes,
): Html {
  const section = attributes({ class: 'form-step', 'data-step': number });
  return html`<section${section}>\n${heading(level, withOwn('form-step-title', step_title), title)}\n${inside}</section>\n`;
}

/** Under the heading of the page, or of the form. */
export const heading = (level: 2 | 3, className: string, words: string): Html =>
  level === 2 ? html`<h2 class="${className}">${words}</h2>` : html`<h3 class="${className}">${words}</h3>`;
