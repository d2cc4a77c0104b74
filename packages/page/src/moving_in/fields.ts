import type { Control } from '../check/form_controls.ts';
import type { PageElement } from '../check/markup.ts';
import { quote } from '../check/page_finding.ts';
import { box, group, list } from './choice_fields.ts';
import type { Draft } from './field_draft.ts';
import type { Labels } from './labels.ts';
import type { Links } from './links.ts';
import { hasWords } from './names.ts';
import { note, type Remark, toDo } from './remark.ts';
import { type FindMistake, takenKeys } from './taken_keys.ts';
import { typed } from './typed_field.ts';
import type { Keys } from './yaml_text.ts';

/** A field of the config, with what its owner should know. */
export interface MovedField {
  readonly name: string;
  readonly keys: Keys;
  readonly remarks: readonly Remark[];
}

interface FieldContext {
  /** The elements of its form. */
  readonly own: readonly PageElement[];
  readonly labels: Labels;
  readonly links: Links;
  readonly mistakeIn: FindMistake;
}

/** The field that the controls of one name make together. */
export function fieldOf(name: string, controls: readonly Control[], context: FieldContext): MovedField {
  const { labels, links, mistakeIn } = context;
  // A hidden twin sends something where a box is not ticked; the relay knows that without it.
  const seen = controls.filter(({ kind }) => kind !== 'hidden');
  const meant = seen.length > 0 ? seen : controls;
  const draft = draftOf(name, meant, context);
  const { required: demanded, ...rest } = draft.keys;
  const isChoice = draft.keys.type === 'radios' || draft.keys.type === 'checkboxes';
  const isDisabled = meant.every(({ element }) => element.isDisabled);
  const ordered = {
    name,
    type: rest.type,
    label: rest.label,
    required: isDisabled ? undefined : demanded,
    ...rest,
    ...(rest.placeholder === rest.label ? { placeholder: undefined } : {}),
  };
  const { keys, refused } = takenKeys(ordered, mistakeIn);
  const about = quote(name);
  const isNameless = keys.label === undefined && keys.type !== 'hidden' && !hasWords(name);
  return {
    name,
    keys,
    remarks: [
      ...(draft.remarks ?? []),
      ...(isNameless
        ? [toDo(`the page has no label for ${about}, and its name is no word: write one, as label`)]
        : []),
      ...(keys.type === 'checkbox' ? meant : []).flatMap((control) =>
        labels
          .others(control)
          .map((words) => note(`${about} has another label in the page, ${quote(words)}, which is left out`)),
      ),
      ...meant.flatMap((control) => linksIn(name, control, labels, { links, isChoice })),
      ...refused.map(([key, why]) => note(`${key} of ${about} is left out: ${why}`)),
      ...(seen.length > 0 && seen.length < controls.length
        ? [note(`${about} has a hidden twin in the page, which the relay does not need; remove it there`)]
        : []),
      ...(isDisabled
        ? [
            toDo(
              `${about} is disabled in the page, so that it is not sent; say required: true if a script enables it`,
            ),
          ]
        : []),
    ],
  };
}

function draftOf(
  name: string,
  controls: readonly Control[],
  { own, labels, mistakeIn }: FieldContext,
): Draft {
  const [first] = controls;
  if (!first) return { keys: {} };
  const areAll = (kind: string) => controls.every((control) => control.kind === kind);
  if (areAll('radio')) return group('radios', name, controls, labels);
  if (areAll('checkbox')) {
    // Options hold no links, so a consent is a box of its own, whatever its name.
    const isGroup = controls.length > 1 || (name.endsWith('[]') && labels.hrefs(first).length === 0);
    return isGroup ? group('checkboxes', name, controls, labels) : box(name, first, labels);
  }
  const kinds = new Set(controls.map(({ kind }) => kind));
  if (kinds.size > 1) {
    const draft = typed(name, first, labels, mistakeIn);
    const mixed = `${quote(name)} is the name of several kinds of controls; here it is one line of text`;
    return { keys: { label: draft.keys.label }, remarks: [toDo(mixed)] };
  }
  const draft =
    first.kind === 'select' ? list(name, first, own, labels) : typed(name, first, labels, mistakeIn);
  if (controls.length === 1) return draft;
  const several = `${quote(name)} stands ${controls.length} times in the page; here it is one field, as its first one`;
  return { ...draft, remarks: [...(draft.remarks ?? []), toDo(several)] };
}

/** Remarks about the links in a label. Labels of options hold none. */
function linksIn(
  name: string,
  control: Control,
  labels: Labels,
  { links, isChoice }: { readonly links: Links; readonly isChoice: boolean },
): readonly Remark[] {
  return labels.hrefs(control).flatMap((href) => {
    const address = isChoice ? undefined : links(href);
    const about = `the link in the label of ${quote(name)}`;
    if (address === undefined) return [note(`${about} is left out`)];
    return address.startsWith('/')
      ? [
          note(
            `${about} leads to ${address}, on the site that shows the form; write its whole address for others`,
          ),
        ]
      : [];
  });
}
