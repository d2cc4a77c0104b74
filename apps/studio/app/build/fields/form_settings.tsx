/** The form's own settings. */
import { freeName } from '../../../edit/form_edits.ts';
import { selected } from '../../store.ts';
import { guardedKeys } from '../guards/cards.ts';
import { KeyInput, Settings } from '../settings/index.ts';
import { builtId, formIds, formPath } from './form_model.ts';
import { copyForm, openForm, removeForm } from './forms.tsx';

/** Other parts of the page have these. */
const elsewhere = ['fields', 'outputs', 'groups', 'steps', ...guardedKeys];
const usual = 'title submit_label confirmation thanks redirect redirect_with failure_message'.split(' ');

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
        <p class="set-help">It is part of the form’s address. Pages that show the form have to follow.</p>
      </div>
      <Settings path={formPath.value} first={usual} without={elsewhere} />
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
