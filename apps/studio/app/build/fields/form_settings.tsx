/** The heading of a group or step: its name in place, and a way to take it away. */

import { useEffect, useRef } from 'preact/hooks';
import { freeName } from '../../../edit/form_edits.ts';
import { selected } from '../../store.ts';
import { guardedKeys } from '../guards/cards.ts';
import { TextInput } from '../settings/controls.tsx';
import { change, useDraft } from '../settings/draft.ts';
import { KeyInput, Tool } from '../settings/rows.tsx';
import { Settings } from '../settings/settings.tsx';
import { textIn, writeText } from '../texts.ts';
import { dissolveRun, focusHeading, pathOfTitle, titleOfRun } from './actions.ts';
import { builtId, formIds, formPath, language, plan } from './form_model.ts';
import { copyForm, openForm, removeForm } from './forms.tsx';
import type { Runs } from './plan.ts';

export function Heading({ of, run }: { readonly of: Runs; readonly run: number }) {
  const title = plan.value[of][run]?.title;
  const isGroup = of === 'groups';
  const what = isGroup ? 'group' : `step ${run + 1}`;
  const draft = useDraft(textIn(title, language.value) ?? '', (typed) => {
    if (typed === '') return;
    change(writeText(pathOfTitle(of, run), title, language.value, typed), `Renamed the ${what} to ${typed}`);
  });
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focusHeading.value !== `${of}.${run}`) return;
    focusHeading.value = undefined;
    const input = place.current?.querySelector('input');
    input?.focus();
    input?.select();
  });
  return (
    <div class={`b-heading b-heading-${of}`} ref={place}>
      {!isGroup && <span class="b-number">Step {run + 1}</span>}
      <TextInput aria-label={isGroup ? 'Name of the group' : `Name of step ${run + 1}`} draft={draft} />
      <Tool
        icon="cross"
        name={
          isGroup
            ? `Remove the group ${titleOfRun(of, run)}, keep its fields`
            : `Join step ${run + 1} with its neighbour`
        }
        onClick={() => dissolveRun(of, run)}
      />
    </div>
  );
}

/** The form's own settings. */

/** Other parts of the page have these. */
const elsewhere = ['fields', 'outputs', 'groups', 'steps', ...guardedKeys];
const labels = {
  submit_label: 'Button',
  confirmation: 'After sending',
  redirect: 'Page after sending',
  redirect_with: 'Values added to the page’s address',
  failure_message: 'If sending fails',
};
const usual = 'title submit_label confirmation thanks redirect redirect_with failure_message look'.split(' ');

export function FormSettings() {
  const id = builtId.value ?? '';
  return (
    <div class="b-settings">
      <div class="set-control">
        <span class="set-name">Name of the form</span>
        <KeyInput
          path={formPath.value}
          of="Name of the form"
          onRename={(name) => {
            openForm(name);
            selected.value = ['forms', name];
          }}
        />
        <p class="set-help">The id is part of the form’s address. Update the pages that show the form.</p>
      </div>
      <Settings path={formPath.value} first={usual} without={elsewhere} labels={labels} />
      <p class="b-line">
        <button type="button" class="b-small" onClick={() => copyForm(id, freeName(id, formIds.value))}>
          Duplicate the form
        </button>
        <button
          type="button"
          class="b-small b-bad"
          onClick={() => {
            selected.value = undefined;
            removeForm(id);
          }}
        >
          Delete the form
        </button>
      </p>
    </div>
  );
}
