/** The form's own settings. */
import { useId, useState } from 'preact/hooks';
import { freeName } from '../../../edit/form_edits.ts';
import { isMap } from '../../schema_nodes.ts';
import { config, notice, selected } from '../../store.ts';
import { change, Settings } from '../settings/index.ts';
import { nameOfLanguage, textIn, textsOfForm, writeText } from '../texts.ts';
import { builtId, form, formIds, formPath, language } from './form_model.ts';
import { copyForm, openForm, removeForm, renameFormTo } from './forms.tsx';
import { TextEdit } from './text_edit.tsx';

/** Other tabs have these. */
const elsewhere = [
  ...['fields', 'outputs', 'spam', 'captcha', 'confirmation_mail', 'double_opt_in', 'keep', 'kept_message'],
  ...[
    'origins',
    'origins_unknown',
    'rate_limit',
    'scan',
    'receipt',
    'groups',
    'steps',
    'languages',
    'language',
  ],
  ...textsOfForm.map(([key]) => key),
];

const labels = { links: 'Links that fill it in', once: 'One submission per value' };

/** With these, the relay has to count. */
const counted = ['places', 'option_places', 'once'];

export function FormSettings() {
  const id = builtId.value ?? '';
  const path = formPath.value;
  return (
    <div class="b-settings">
      {textsOfForm.map(([key, label, help]) => {
        const value = form.value[key];
        const write = (typed: string) =>
          void change(
            writeText([...path, key], value, language.value, typed),
            typed === '' ? `Removed: ${label}` : `${label}: ${typed}`,
          );
        return (
          <TextEdit
            key={`${key} ${language.value}`}
            label={isMap(value) ? `${label}, in ${nameOfLanguage(language.value)}` : label}
            value={textIn(value, language.value) ?? ''}
            onText={write}
            path={[...path, key]}
            help={help}
            isLong={
              key === 'confirmation' ||
              key === 'failure_message' ||
              key === 'closed_text' ||
              key === 'full_text'
            }
            part={key}
          />
        );
      })}
      <NameOfForm id={id} />
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
      {config.value.whyText(path) === undefined && (
        <Settings path={path} without={elsewhere} labels={labels} more="More settings of the form" />
      )}
      {counted.some((key) => form.value[key] !== undefined) && (
        <Settings path={[]} only={['counted_in']} labels={{ counted_in: 'Where all forms count' }} />
      )}
    </div>
  );
}

/** Written on Enter and on leaving it: half a name would be another form's address. */
function NameOfForm({ id }: { readonly id: string }) {
  const [typed, setTyped] = useState(id);
  const input = useId();
  const rename = () => {
    const name = typed.trim();
    if (name === '' || name === id) return setTyped(id);
    if (formIds.value.includes(name)) notice.value = `There is a form ${name} already.`;
    else if (renameFormTo(id, name)) {
      openForm(name);
      selected.value = ['forms', name];
    }
  };
  return (
    <div class="set-control b-code">
      <label class="set-name" for={input}>
        Name of the form
      </label>
      <input
        id={input}
        type="text"
        value={typed}
        data-own={typed === id ? undefined : ''}
        aria-describedby={`${input}-help`}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') rename();
        }}
        onBlur={rename}
      />
      <p class="set-help" id={`${input}-help`}>
        It is part of the form’s address. Pages that show the form have to follow.
      </p>
    </div>
  );
}
