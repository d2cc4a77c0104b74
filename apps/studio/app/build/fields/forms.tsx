/** Dialogs and actions for the config's forms: add, rename, copy and remove. */

import { Button, Dialog, Icon } from '@form-relay/ui/controls';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { freeName } from '../../../edit/form_edits.ts';
import { builderTab, go } from '../../shell/address.ts';
import { StartingPoints } from '../../start/starting_points.tsx';
import { formId, selected } from '../../store.ts';
import { guardedKeys } from '../guards/cards.ts';
import { placeholder } from '../outputs/recipes.ts';
import { TextInput } from '../settings/controls.tsx';
import { change, useDraft } from '../settings/draft.ts';
import { held } from '../settings/places.ts';
import { KeyInput, Tool } from '../settings/rows.tsx';
import { Settings } from '../settings/settings.tsx';
import { textIn, writeText } from '../texts.ts';
import { dissolveRun, focusHeading, focusNext, pathOfTitle, titleOfRun } from './actions.ts';
import { builtId, formIds, formPath, fresh, language, nameFrom, plan } from './form_model.ts';
import type { Runs } from './plan.ts';

/** Shows the fields of another form of the config. */
export function openForm(id: string): void {
  builderTab.value = 'fields';
  go({ form: id });
}

function createForm(title: string): boolean {
  const id = freeName(nameFrom(title) || 'form', formIds.value);
  const value = { title, fields: [], outputs: [placeholder] };
  const path = ['forms', id];
  if (!change({ do: 'set', path, value }, `Added the form ${title}`)) return false;
  fresh.value = undefined;
  openForm(id);
  selected.value = undefined;
  // Goes on to the first field.
  focusNext.value = { index: 0, part: 'edit' };
  return true;
}

function copyForm(id: string, name: string): void {
  if (
    change(
      { do: 'set', path: ['forms', name], value: held(['forms', id]) ?? null },
      `Duplicated the form ${id} as ${name}`,
    )
  )
    openForm(name);
}

function removeForm(id: string): void {
  selected.value = undefined;
  const other = formIds.value.find((one) => one !== id);
  if (!change({ do: 'remove', path: ['forms', id] }, `Deleted the form ${id}`)) return;
  if (other !== undefined && formId.value === id) openForm(other);
}

/** A button in the header, after the forms. */
export function NewForm() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button class="b-small" onClick={() => setOpen(true)}>
        <Icon name="plus" /> <span class="words">New form</span>
      </Button>
      {isOpen && <NewFormDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function NewFormDialog({ onClose }: { readonly onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [title, setTitle] = useState('');
  const [isLacking, setLacking] = useState(false);
  const make = () => {
    setLacking(title.trim() === '');
    if (title.trim() === '') return input.current?.focus();
    if (createForm(title.trim())) onClose();
  };
  return (
    <Dialog class="wide" title="New form" onClose={onClose}>
      {/* A key handler would close the dialog, and the same key press would reopen it by its button. */}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          make();
        }}
      >
        <label class="set-control">
          <span class="set-name">Title</span>
          <input
            class="set-input"
            ref={input}
            autofocus
            value={title}
            placeholder="Contact us"
            aria-invalid={isLacking || undefined}
            aria-describedby={isLacking ? `${id}-lacking` : undefined}
            onInput={({ currentTarget }) => setTitle(currentTarget.value)}
          />
        </label>
        {isLacking && title.trim() === '' && (
          <p class="b-bad" id={`${id}-lacking`} role="alert">
            Give the form a title first: visitors see the title above the form.
          </p>
        )}
        <p class="b-line">
          <button type="submit" class="b-small b-primary">
            Make an empty form
          </button>
          <Button class="b-small" onClick={onClose}>
            Cancel
          </Button>
        </p>
      </form>
      <h3>Or start from a complete form, and change anything</h3>
      <StartingPoints
        onDone={(id) => {
          onClose();
          openForm(id);
        }}
      />
    </Dialog>
  );
}

// The heading of a group or step: renames it in place, or removes it.

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

/** Keys that are edited in other parts of the page. */
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
            if (fresh.value?.[0] === id) fresh.value = [name, fresh.value[1]];
            openForm(name);
            selected.value = ['forms', name];
          }}
        />
        <p class="set-help">The id is part of the form’s address. Update the pages that show the form.</p>
      </div>
      <Settings path={formPath.value} first={usual} without={elsewhere} labels={labels} />
      <p class="b-line">
        <Button class="b-small" onClick={() => copyForm(id, freeName(id, formIds.value))}>
          Duplicate the form
        </Button>
        <Button class="b-small b-bad" onClick={() => removeForm(id)}>
          Delete the form
        </Button>
      </p>
    </div>
  );
}
