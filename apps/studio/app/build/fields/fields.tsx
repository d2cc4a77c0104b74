/** The form as visitors will see it, to be built by hand. */

import { Icon } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
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
import { type Item, type Section, sectionsOf } from './plan.ts';
import { Row } from './row.tsx';

export function Fields() {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => void loadPalette(), []);
  useFocus(root);
  const listPath = [...formPath.value, 'fields'];
  const why = config.value.whyText(formPath.value) ?? config.value.whyText(listPath);
  return (
    <div class="b-fields" ref={root}>
      <FormTitle />
      {why === undefined ? <Canvas /> : <AsText path={listPath} why={why} />}
      <Submit />
      {plan.value.items.length > 0 && <Nowhere />}
      <PaletteDialog />
    </div>
  );
}

/** How many there are, and of when their pictures are. */
export function Count() {
  const count = plan.value.items.filter(({ isNote }) => !isNote).length;
  return (
    <span class="b-count">
      {count === 1 ? '1 field' : `${count} fields`}
      {state.value?.file.state === 'refresh_failed' && ' · pictures of the last valid version'}
    </span>
  );
}

/** Gives the keyboard to the part that an action named, or back to the one that lost its place. */
function useFocus(root: { current: HTMLElement | null }): void {
  // The first form of a config appears once the relay has read it.
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

function FormTitle() {
  const title = textShown(form.value.title, language.value);
  return (
    <Face of="title" html={canvas.value?.title} words={title ?? 'No title'} isQuiet={title === undefined} />
  );
}

function Submit() {
  const label = textShown(form.value.submit_label, language.value);
  return <Face of="button" html={canvas.value?.submit} words={label ?? 'Send'} />;
}

interface FaceProps {
  readonly of: 'title' | 'button';
  readonly html: string | undefined;
  readonly words: string;
  readonly isQuiet?: boolean;
}

/** The title or the button of the form, which open its settings. */
function Face({ of, html, words, isQuiet }: FaceProps) {
  const isOpen = isFormOpen.value;
  const toggle = () => {
    selected.value = isOpen ? undefined : formPath.value;
  };
  return (
    <div class={`b-form-part b-form-${of}${isOpen ? ' b-selected' : ''}`}>
      <button type="button" class="b-form-face" aria-expanded={isOpen} onClick={toggle}>
        <span class="unseen">
          {of === 'title' ? 'Form settings, title: ' : 'Form settings, button: '}
          {words}
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
  const sections = sectionsOf(plan.value);
  const byStep = new Map<number | undefined, Section[]>();
  for (const section of sections) byStep.set(section.step, [...(byStep.get(section.step) ?? []), section]);
  const line = dragged.value?.line;
  const rule = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (rule.current && line !== undefined) rule.current.style.top = `${line}px`;
  }, [line]);
  return (
    <ol class={`b-canvas${dragged.value ? ' b-dragging' : ''}`} aria-label="Fields">
      {[...byStep].map(([step, inside]) =>
        step === undefined ? (
          inside.map((section) => <Part key={sectionKey(section)} section={section} />)
        ) : (
          <li key={`step ${step}`} class="b-step" data-step={step}>
            <Heading of="steps" run={step} />
            <ol>
              {inside.map((section) => (
                <Part key={sectionKey(section)} section={section} />
              ))}
              {step < plan.value.steps.length - 1 && (
                <EndGap last={inside.at(-1)?.items.at(-1)} slot={{ group: undefined, step }}>
                  step {step + 1}
                </EndGap>
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

/** Fields in a group, or between groups. */
function Part({ section }: { readonly section: Section }) {
  const { group, items } = section;
  const rows = items.map((item) => [
    <Gap key={`gap ${rowKey(item)}`} item={item} />,
    <Row key={rowKey(item)} item={item} />,
  ]);
  if (group === undefined) return <>{rows}</>;
  return (
    <li class="b-group" data-group={group}>
      <Heading of="groups" run={group} />
      <ol>
        {rows}
        <EndGap last={items.at(-1)} slot={section}>
          the group {titleOfRun('groups', group)}
        </EndGap>
      </ol>
    </li>
  );
}

/** Between two rows: adds a field above the lower one. */
const Gap = ({ item }: { readonly item: Item }) => (
  <li class="b-gap">
    <button
      type="button"
      aria-label={`Add a field above ${titleOf(item)}`}
      onClick={() => {
        adding.value = { before: item.index, group: item.group, step: item.step };
      }}
    >
      <Icon name="plus" />
    </button>
  </li>
);

interface EndProps {
  readonly last: Item | undefined;
  readonly slot: Pick<Section, 'group' | 'step'>;
  readonly children: ComponentChildren;
}

/** Below the last row of a group or step: adds a field to it. */
const EndGap = ({ last, slot: { group, step }, children }: EndProps) =>
  last ? (
    <li class="b-gap">
      <button
        type="button"
        onClick={() => {
          adding.value = { before: last.index + 1, group, step };
        }}
      >
        <span class="unseen">Add a field to {children}</span>
        <Icon name="plus" />
      </button>
    </li>
  ) : null;

function AddButton() {
  const { items, steps } = plan.value;
  const step = steps.length > 0 ? steps.length - 1 : undefined;
  return (
    <li class="b-end">
      <button
        type="button"
        class="b-add"
        onClick={() => {
          adding.value = { before: items.length, group: undefined, step };
        }}
      >
        <Icon name="plus" /> Add a field
      </button>
      {items.length === 0 && <p class="aside">{labelFrom(builtId.value ?? 'The form')} has no fields yet.</p>}
    </li>
  );
}
