/** Radio buttons that look like one switch: arrow keys and every screen reader know them. */

import { Button, Icon, Options } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { NewForm } from '../build/fields/forms.tsx';
import { PublishDialog, published } from '../publish/publish.tsx';
import { editor, formId, selected, state } from '../store.ts';
import { go, showPane, tab } from './address.ts';
import { SiteDialog } from './site.tsx';

interface ChoiceProps<T extends string> {
  readonly name: string;
  /** For screen readers. */
  readonly label: string;
  readonly options: Readonly<Record<T, ComponentChildren>>;
  readonly value: T;
  readonly onChoose: (value: T) => void;
  readonly class?: string;
}

export const Choice = <T extends string>({
  name,
  label,
  options,
  value,
  onChoose,
  ...others
}: ChoiceProps<T>) => (
  <fieldset class={`choice ${others.class ?? ''}`}>
    <legend class="unseen">{label}</legend>
    {(Object.entries(options) as [T, ComponentChildren][]).map(([one, shown]) => (
      <label key={one}>
        <input type="radio" name={name} value={one} checked={one === value} onChange={() => onChoose(one)} />
        <span>{shown}</span>
      </label>
    ))}
  </fieldset>
);

export function Header() {
  const isSiteOpen = useSignal(false);
  const isPublishing = useSignal(false);
  return (
    <header>
      {/* biome-ignore lint/a11y/useValidAnchor: the link leads to the pane, which may have to come into view first. */}
      <a class="skip" href="#form-pane" onClick={() => showPane(tab.value)}>
        Skip to the form
      </a>
      <h1>
        <Mark />
        <b>Form Relay</b> <span>studio</span>
      </h1>
      <FormPicker />
      <NewForm />
      {state.value && <Promised isLive={state.value.isLive} />}
      <span class="actions">
        <Button
          disabled={formId.value === undefined}
          onClick={() => {
            isSiteOpen.value = true;
          }}
        >
          Put it on my site
        </Button>
        <Button
          class="main"
          disabled={formId.value === undefined}
          onClick={() => {
            isPublishing.value = true;
          }}
        >
          Publish
        </Button>
      </span>
      {isPublishing.value && (
        <PublishDialog
          onClose={() => {
            isPublishing.value = false;
          }}
        />
      )}
      {isSiteOpen.value && (
        <SiteDialog
          onClose={() => {
            isSiteOpen.value = false;
          }}
        />
      )}
    </header>
  );
}

const Mark = () => (
  <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
    <rect width="16" height="16" rx="4" />
    <path d="M3.5 8l9-4-2.6 8.6-2.3-3z" />
  </svg>
);

function Promised({ isLive }: { readonly isLive: boolean }) {
  const isServing = published.value?.isRunning === true;
  const words = isLive
    ? 'Outputs really deliver'
    : isServing
      ? 'A relay is running, and really delivers'
      : 'Nothing leaves this machine';
  return (
    <p class={isLive || isServing ? 'promise warn' : 'promise'}>
      <Icon name={isLive || isServing ? 'send' : 'lock'} /> {words}
    </p>
  );
}

/** Shows the form, and where the config declares it. */
function chooseForm(id: string): void {
  go({ form: id, lang: '' });
  selected.value = undefined;
  editor.value?.show(['forms', id]);
}

/** All forms of the config, to choose from. */
function FormPicker() {
  const { forms = [], form } = state.value ?? {};
  if (forms.length === 0) return <nav id="forms" aria-label="Forms" />;
  return (
    <nav id="forms" aria-label="Forms">
      <label>
        <span class="unseen">Form</span>
        <select id="form" value={form?.id} onChange={({ currentTarget }) => chooseForm(currentTarget.value)}>
          <Options of={forms.map(({ id, title }) => [id, title])} />
        </select>
      </label>
    </nav>
  );
}
