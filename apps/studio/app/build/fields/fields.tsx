/** Shows the form as visitors will see it, for editing by hand. */

import { Icon } from '@form-relay/ui/controls';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { config, selected, state } from '../../store.ts';
import { Nowhere } from '../outputs/outputs.tsx';
import { AsText } from '../settings/frame.tsx';
import { textShown } from '../texts.ts';
import { focusNext, titleOf, titleOfRun } from './actions.ts';
import { dragged } from './dragging.ts';
import {
  builtId,
  canvas,
  form,
  formPath,
  isFormOpen,
  keyOf,
  labelFrom,
  language,
  plan,
} from './form_model.ts';
import { FormSettings, Heading } from './forms.tsx';
import { adding, loadPalette, PaletteDialog, Picture } from './palette.tsx';
import { type Item, type Section, type Slot, sectionsOf } from './plan.ts';
import { Row } from './row.tsx';

export function Fields() {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => void loadPalette(), []);
  useFocus(root);
  const listPath = [...formPath.value, 'fields'];
  const why = config.value.whyText(formPath.value) ?? config.value.whyText(listPath);
  const [title, label] = ['title', 'submit_label'].map((key) => textShown(form.value[key], language.value));
  return (
    <div class="b-fields" ref={root}>
      <Face of="title" html={canvas.value?.title} words={title ?? 'No title'} isQuiet={title === undefined} />
      {why === undefined ? <Canvas /> : <AsText path={listPath} why={why} />}
      <Face of="button" html={canvas.value?.submit} words={label ?? 'Send'} isQuiet={false} />
      {plan.value.items.length > 0 && <Nowhere />}
      {adding.value && <PaletteDialog slot={adding.value} />}
    </div>
  );
}

/** The number of fields, with a note if their pictures are from an older version. */
export function Count() {
  const count = plan.value.items.filter(({ isNote }) => !isNote).length;
  return (
    <span class="b-count">
      {count === 1 ? '1 field' : `${count} fields`}
      {state.value?.file.state === 'refresh_failed' && ' · pictures of the last valid version'}
    </span>
  );
}

/** Focuses the part that an action named, or restores focus to the part that lost it. */
function useFocus(root: { current: HTMLElement | null }): void {
  // Reruns when the first form of a config appears, after the relay has read it.
  void state.value?.form;
  useLayoutEffect(() => {
    const wanted = focusNext.value;
    if (!wanted) return;
    const row = root.current?.querySelector(`[data-index="${wanted.index}"]`);
    const isLabel = wanted.part === 'label';
    const target = isLabel
      ? row?.querySelector<HTMLInputElement>('.b-open :is(input, textarea)')
      : (row?.querySelector<HTMLElement>(`[data-part="${wanted.part}"]`) ?? row?.querySelector('button'));
    const next =
      target ?? (plan.value.items.length === 0 ? root.current?.querySelector<HTMLElement>('.b-add') : null);
    if (!next?.checkVisibility()) return;
    focusNext.value = undefined;
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
    if (isLabel) (next as HTMLInputElement).select();
  });
}

interface FaceProps {
  readonly of: 'title' | 'button';
  readonly html: string | undefined;
  readonly words: string;
  readonly isQuiet: boolean;
}

/** The form's title or button, which open their settings. */
function Face({ of, html, words, isQuiet }: FaceProps) {
  const isOpen = isFormOpen.value;
  const toggle = () => {
    selected.value = isOpen ? undefined : formPath.value;
  };
  return (
    <div class={`b-form-part b-form-${of}${isOpen ? ' b-selected' : ''}`}>
      <button type="button" class="b-form-face" aria-expanded={isOpen} onClick={toggle}>
        <span class="unseen">
          Form settings, {of}: {words}
        </span>
        {html && !isQuiet ? (
          <Picture html={html} direction={canvas.value?.direction} />
        ) : (
          <span class="b-plain aside" aria-hidden="true">
            {words}
          </span>
        )}
        <span class="b-hint" aria-hidden="true">
          Form settings
        </span>
      </button>
      {isOpen && of === 'title' && (
        <fieldset class="b-open" aria-label="Settings of the form">
          <FormSettings key={builtId.value} />
        </fieldset>
      )}
    </div>
  );
}

function Canvas() {
  const byStep = new Map<number | undefined, Section[]>();
  for (const one of sectionsOf(plan.value)) byStep.set(one.step, [...(byStep.get(one.step) ?? []), one]);
  const line = dragged.value?.line;
  const rule = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (rule.current && line !== undefined) rule.current.style.top = `${line}px`;
  }, [line]);
  return (
    <ol class={`b-canvas${dragged.value ? ' b-dragging' : ''}`} aria-label="Fields">
      {[...byStep].map(([step, inside]) =>
        step === undefined ? (
          inside.map(part)
        ) : (
          <li key={`step ${step}`} class="b-step" data-step={step}>
            <Heading of="steps" run={step} />
            <ol>
              {inside.map(part)}
              {step < plan.value.steps.length - 1 && (
                <Gap
                  label={`Add a field to step ${step + 1}`}
                  slot={{ before: endOf(inside.at(-1)), group: undefined, step }}
                />
              )}
            </ol>
          </li>
        ),
      )}
      {line !== undefined && (
        <li class={`b-drop${dragged.value?.isInGroup ? ' b-drop-in' : ''}`} ref={rule} aria-hidden="true" />
      )}
      <AddButton />
    </ol>
  );
}

const sectionKey = ({ group, items }: Section) =>
  group === undefined ? `from ${rowKey(items[0] as Item)}` : `group ${group}`;
const rowKey = (item: Item) => (item.name === '' ? `at ${item.index}` : keyOf(item.name));
const part = (section: Section) => <Part key={sectionKey(section)} section={section} />;
const endOf = (section: Section | undefined) => (section?.items.at(-1)?.index ?? -1) + 1;

/** A group of fields, or fields outside groups. */
function Part({ section }: { readonly section: Section }) {
  const { group, step, items } = section;
  const rows = items.map((item) => [
    <Gap
      key={`gap ${rowKey(item)}`}
      label={`Add a field above ${titleOf(item)}`}
      slot={{ before: item.index, group: item.group, step: item.step }}
    />,
    <Row key={rowKey(item)} item={item} />,
  ]);
  if (group === undefined) return <>{rows}</>;
  return (
    <li class="b-group" data-group={group}>
      <Heading of="groups" run={group} />
      <ol>
        {rows}
        <Gap
          label={`Add a field to the group ${titleOfRun('groups', group)}`}
          slot={{ before: endOf(section), group, step }}
        />
      </ol>
    </li>
  );
}

const addAt = (slot: Slot) => () => {
  adding.value = slot;
};

/** The gap between two rows, or after the last row of a group or step. */
const Gap = ({ label, slot }: { readonly label: string; readonly slot: Slot }) => (
  <li class="b-gap">
    <button type="button" aria-label={label} onClick={addAt(slot)}>
      <Icon name="plus" />
    </button>
  </li>
);

function AddButton() {
  const { items, steps } = plan.value;
  const step = steps.length > 0 ? steps.length - 1 : undefined;
  return (
    <li class="b-end">
      <button type="button" class="b-add" onClick={addAt({ before: items.length, group: undefined, step })}>
        <Icon name="plus" /> Add a field
      </button>
      {items.length === 0 && <p class="aside">{labelFrom(builtId.value ?? 'The form')} has no fields yet.</p>}
    </li>
  );
}
