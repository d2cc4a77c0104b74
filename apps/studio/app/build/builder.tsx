/** The form, built by hand: its fields, its outputs, and what protects it. */

import { Options } from '@form-relay/ui/controls';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { loadSchema, schema } from '../relay.ts';
import { builderTab, go } from '../shell/address.ts';
import { config, isUnreadable } from '../store.ts';
import { redo, undo } from './fields/actions.ts';
import { Count, Fields } from './fields/fields.tsx';
import { builtId, language, languages } from './fields/form_model.ts';
import { NewForm } from './fields/forms.tsx';
import { Guards } from './guards/guards.tsx';
import { Logic } from './logic/logic.tsx';
import { Outputs } from './outputs/outputs.tsx';
import { PendingNotice } from './pending_notice.tsx';
import { Tool } from './settings/rows.tsx';
import { nameOfLanguage } from './texts.ts';
import './build.css';

interface Tab {
  readonly id: string;
  readonly name: string;
  readonly view: (props: object) => JSX.Element | null;
}

const tabs: readonly Tab[] = [
  { id: 'fields', name: 'Fields', view: Fields },
  { id: 'logic', name: 'Logic', view: Logic },
  { id: 'outputs', name: 'Outputs', view: Outputs },
  { id: 'protection', name: 'Protection', view: Guards },
];

function press(event: KeyboardEvent): void {
  const at = tabs.findIndex(({ id }) => id === builderTab.value);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
  const tab = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
  if (!tab) return;
  event.preventDefault();
  builderTab.value = tab.id;
  document.getElementById(`build-${tab.id}`)?.focus();
}

/** Undo and redo, unless the browser has to undo what is typed into a box and not in the config yet. */
function onKey(event: KeyboardEvent): void {
  const target = event.target as Element;
  // The keyboard is nowhere when what had it is gone.
  const isHere = target === document.body || target.closest('.b') !== null;
  const isOwn = target.closest('dialog, [type=search], [data-own]') !== null;
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !isHere || isOwn) return;
  const key = event.key.toLowerCase();
  if (key !== 'z' && key !== 'y') return;
  event.preventDefault();
  if (key === 'y' || event.shiftKey) redo();
  else undo();
}

export function Builder() {
  useEffect(() => {
    void loadSchema();
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const isRead = config.value.value !== undefined;
  // All settings are made of it.
  if (!schema.value) return null;
  const { id, view: View } = tabs.find((one) => one.id === builderTab.value) ?? (tabs[0] as Tab);
  return (
    <section class="b" aria-label="Build">
      <div class="b-tabs" role="tablist" aria-label="Parts of the form" onKeyDown={press}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`build-${tab.id}`}
            aria-selected={tab.id === id}
            aria-controls="build-panel"
            tabIndex={tab.id === id ? 0 : -1}
            onClick={() => {
              builderTab.value = tab.id;
            }}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div class="b-panel" role="tabpanel" id="build-panel" aria-labelledby={`build-${id}`}>
        {!isRead ? (
          <p class="b-none">The config is not YAML yet. The line with the mistake is marked in the text.</p>
        ) : builtId.value === undefined ? (
          <div class="b-none">
            <p>There is no form yet.</p>
            <NewForm />
          </div>
        ) : (
          <>
            <div class="b-bar">
              <Tool icon="undo" name="Undo" onClick={undo} />
              <Tool icon="redo" name="Redo" onClick={redo} />
              {id === 'fields' && <Count />}
              <LanguageSelect />
            </div>
            {isUnreadable.value ? (
              <p class="notice warn b-pending" role="status">
                The text is not YAML yet: its line with the mistake is marked. Until then you see the form as
                it last was.
              </p>
            ) : (
              <PendingNotice />
            )}
            <div class="b-view" inert={isUnreadable.value}>
              <View />
            </div>
          </>
        )}
      </div>
    </section>
  );
}

/** In which the texts are shown and edited. */
const LanguageSelect = () =>
  languages.value.length > 1 ? (
    <select
      aria-label="Edit the texts in"
      value={language.value}
      onChange={({ currentTarget: { value } }) => go({ lang: value })}
    >
      <Options of={languages.value.map((tag) => [tag, nameOfLanguage(tag)])} />
    </select>
  ) : null;
