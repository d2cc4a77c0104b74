/** The visual builder of a form: fields, outputs and protection. */

import { Button, Options } from '@form-relay/ui/controls';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Path, pathIn } from '../../edit/model.ts';
import { drop, pending } from '../pending.ts';
import { Prose } from '../prose.tsx';
import { loadSchema, schema } from '../schema_nodes.ts';
import { builderTab, go, showPane } from '../shell/address.ts';
import { config, isUnreadable, say, selected } from '../store.ts';
import { redo, undo } from './fields/actions.ts';
import { Count, Fields } from './fields/fields.tsx';
import { builtId, language, languages } from './fields/form_model.ts';
import { NewForm } from './fields/forms.tsx';
import { guardedKeys } from './guards/cards.ts';
import { Guards } from './guards/guards.tsx';
import { Logic } from './logic/logic.tsx';
import { Outputs } from './outputs/outputs.tsx';
import { pathText } from './settings/places.ts';
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

/** Handles undo and redo, unless the browser must undo typing in an input that is not in the config yet. */
function onKey(event: KeyboardEvent): void {
  const target = event.target as Element;
  // Focus falls back to the body when the focused element is removed.
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
  // All settings are generated from the schema.
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
          <p class="b-none">
            The config is not valid YAML yet. The line with the mistake is marked in the text.
          </p>
        ) : builtId.value === undefined ? (
          <div class="b-none">
            <p>No form yet.</p>
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
                The text is not valid YAML yet: the line with the mistake is marked. Until it is corrected,
                you see the last valid form.
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

/** Chooses the language in which texts are shown and edited. */
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

// Says why changes are not in the text yet, and links to the reason.

function PendingNotice() {
  const problems = pending.value;
  if (!problems) return null;
  const [first] = problems;
  const takeBack = () => {
    drop();
    say('Undone');
  };
  return (
    <section class="notice warn b-pending" aria-label="Not in the config yet" role="status">
      <p>
        <b>Not in the config yet.</b>{' '}
        {first && (
          <>
            <code>{first.path.replace(/^forms\.[^.[]+\./, '')}</code>: <Prose text={first.message} />
            {problems.length > 1 && ` (and ${problems.length - 1} more)`}
          </>
        )}
      </p>
      {first && (
        <Button class="b-small" onClick={() => goTo(pathIn(first.path))}>
          Show
        </Button>
      )}
      <Button class="b-small" onClick={takeBack}>
        Undo this
      </Button>
    </section>
  );
}

// Focuses the control of a path, wherever it is in the builder.

const tabOf = (part: string) =>
  part === 'outputs' ? 'outputs' : guardedKeys.includes(part) ? 'protection' : 'fields';

function goTo(path: Path): void {
  const [top, form, part = '', nth] = path;
  const isInForm = top === 'forms' && form !== undefined;
  if (isInForm && form !== builtId.value) go({ form: String(form) });
  showPane('build');
  builderTab.value = isInForm ? tabOf(String(part)) : 'protection';
  const isItem = typeof nth === 'number' && (part === 'fields' || part === 'outputs');
  if (isInForm) selected.value = isItem ? path.slice(0, 4) : ['forms', form];
  openFrom(path, 1);
}

/** Opens collapsed parts around the control, from the outside in, then focuses it. */
function openFrom(path: Path, length: number): void {
  const shown = (end: number) =>
    document.querySelector<HTMLElement>(`.b [data-path="${CSS.escape(pathText(path.slice(0, end)))}"]`);
  requestAnimationFrame(() => {
    const fold = shown(length)?.closest('details');
    if (fold) fold.open = true;
    if (length < path.length) return openFrom(path, length + 1);
    const nearest = path.map((_, nth) => shown(nth + 1)).findLast(Boolean);
    nearest?.querySelector<HTMLElement>('input, select, textarea, button, summary')?.focus();
    nearest?.scrollIntoView({ block: 'nearest' });
  });
}
