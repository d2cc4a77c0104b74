/** Forms of the config: a new one, another name, a copy, and none. */

import { Dialog, Icon } from '@form-relay/ui/controls';
import { useId, useRef, useState } from 'preact/hooks';
import { freeName } from '../../../edit/form_edits.ts';
import type { Json } from '../../../edit/model.ts';
import { isMap } from '../../schema_nodes.ts';
import { builderTab, go } from '../../shell/address.ts';
import { StartingPoints } from '../../start/starting_points.tsx';
import { config, formId, selected } from '../../store.ts';
import { placeholder } from '../outputs/adapt.ts';
import { change } from '../settings/draft.ts';
import { focusNext } from './actions.ts';
import { formIds, fresh, nameFrom } from './form_model.ts';

/** Shows the fields of another form of the config. */
export function openForm(id: string): void {
  builderTab.value = 'fields';
  go({ form: id });
}

const formOf = (id: string): Json => {
  const root = config.value.value;
  return (isMap(root) && isMap(root.forms) && root.forms[id]) || null;
};

export function createForm(title: string): boolean {
  const id = freeName(nameFrom(title) || 'form', formIds.value);
  const value = { title, fields: [], outputs: [placeholder] };
  const path = ['forms', id];
  if (!change({ do: 'set', path, value }, `Added the form ${title}`)) return false;
  fresh.value = undefined;
  openForm(id);
  selected.value = undefined;
  // On to the first field.
  focusNext.value = { index: 0, part: 'edit' };
  return true;
}

export function copyForm(id: string, name: string): void {
  if (change({ do: 'set', path: ['forms', name], value: formOf(id) }, `Duplicated the form ${id} as ${name}`))
    openForm(name);
}

export function removeForm(id: string): void {
  const other = formIds.value.find((one) => one !== id);
  if (!change({ do: 'remove', path: ['forms', id] }, `Deleted the form ${id}`)) return;
  if (other !== undefined && formId.value === id) openForm(other);
}

/** In the header, after the forms. */
export function NewForm() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="b-small" onClick={() => setOpen(true)}>
        <Icon name="plus" /> <span class="words">New form</span>
      </button>
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
      {/* A key handler would close the dialog, and the rest of the same key press would open it again by its button. */}
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
            Give it a title first: visitors read it above the form.
          </p>
        )}
        <p class="b-line">
          <button type="submit" class="b-small b-primary">
            Make an empty form
          </button>
          <button type="button" class="b-small" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
      <h3>Or take a complete form, and change what you like</h3>
      <StartingPoints
        onDone={(id) => {
          onClose();
          openForm(id);
        }}
      />
    </Dialog>
  );
}
