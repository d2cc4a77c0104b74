/** The layout: from the width of the window, studio.css decides which parts stand side by side. */

import { Button, Icon } from '@form-relay/ui/controls';
import { useEffect } from 'preact/hooks';
import { Arrived } from '../arrived/arrived.tsx';
import { Builder } from '../build/builder.tsx';
import { openForm } from '../build/fields/forms.tsx';
import { Deeds, TryPane } from '../form/about.tsx';
import { Prose } from '../prose.tsx';
import { StartingPoints } from '../start/starting_points.tsx';
import { isEmpty, isLost, notice, reports, said, state } from '../store.ts';
import { front, pane, showPane, side, tab } from './address.ts';
import { follow, stopped } from './events.ts';
import { Choice, Header } from './header.tsx';
import { Overtaken, Unsaved } from './unsaved.tsx';
import './studio.css';
import { Code, Problems } from '../code/problems.tsx';
import { discard, isAhead, save } from './drafts.ts';

export function Studio() {
  useEffect(follow, []);
  const { form } = state.value ?? {};
  const isReady = state.value !== undefined;
  useEffect(() => {
    document.title = `${form ? `${form.title} – ` : ''}Form Relay studio`;
  }, [form?.title]);
  return (
    <>
      <Header />
      {isLost.value && (
        <section class="notice bad" id="lost" aria-label="Connection">
          <p>{stopped}</p>
        </section>
      )}
      <main class="columns" id="columns" data-tab={tab.value} data-side={side.value} data-front={front.value}>
        <Choice
          name="side"
          label="Beside the form"
          class="of-side"
          options={sides}
          value={side.value}
          onChoose={showPane}
        />
        <ConfigPane />
        <section id="form-pane" class="pane" tabIndex={-1} aria-label="Form">
          <div class="bar of-form">
            <Choice name="tab" label="The form" options={tabs} value={tab.value} onChoose={showPane} />
            {tab.value === 'try' && <Deeds />}
          </div>
          {notice.value !== '' && (
            <p class="notice warn" role="alert">
              {notice}
            </p>
          )}
          <Mistake />
          {isReady && !form && <NoForm />}
          {isReady && (
            <>
              <div class="build" hidden={!form || tab.value !== 'build'}>
                <Builder />
              </div>
              <div class={tab.value === 'try' ? 'trying' : 'trying away'}>
                <TryPane />
              </div>
            </>
          )}
        </section>
        <section id="inbox" class="pane" tabIndex={-1} aria-labelledby="inbox-title">
          <Arrived />
        </section>
      </main>
      <Overtaken />
      <nav class="around-panes" aria-label="Panes">
        <Choice
          name="pane"
          label="Pane"
          class="of-panes"
          options={panes()}
          value={pane.value}
          onChoose={showPane}
        />
      </nav>
      <p id="said" class="unseen" role="status">
        {said}
      </p>
    </>
  );
}

const tabs = { build: 'Build', try: 'Try' } as const;
const sides = { config: 'Config', arrived: 'What arrived' } as const;
const panes = () => ({
  build: <Tab icon="pen" words="Build" />,
  try: <Tab icon="play" words="Try" />,
  config: <Tab icon="code" words="Config" />,
  arrived: (
    <Tab icon="inbox" words={reports.value.length > 0 ? `Arrived ${reports.value.length}` : 'Arrived'} />
  ),
});

const Tab = ({
  icon,
  words,
}: {
  readonly icon: Parameters<typeof Icon>[0]['name'];
  readonly words: string;
}) => (
  <>
    <Icon name={icon} /> {words}
  </>
);

/** The first mistake, shown where the config and its list of problems are out of view (studio.css). */
function Mistake() {
  const first = state.value?.problems.find(({ severity }) => severity === 'error');
  if (!first || isEmpty.value) return null;
  const place = first.line > 0 ? ` Line ${first.line}:` : '';
  return (
    <div id="mistake" class="notice warn" role="alert">
      <p>
        The config does not load.{place} {first.path} <Prose text={first.message} />
      </p>
      <Button onClick={() => showPane('config')}>Show it</Button>
    </div>
  );
}

/** Stands in the form's place while there is none. */
function NoForm() {
  const isUnread = state.value?.file.state === 'never_loaded' && !isEmpty.value;
  if (isUnread)
    return (
      <div class="empty" id="no-form">
        <p>
          <b>No form to show yet.</b>
        </p>
        <p>The config does not load. As soon as it is corrected, the form appears here.</p>
      </div>
    );
  return (
    <div class="empty" id="no-form">
      <p>
        <b>{isEmpty.value ? 'Create your first form' : 'The config has no forms'}</b>
      </p>
      <p>Start with a template or an empty form: New form, at the top.</p>
      <StartingPoints onDone={openForm} />
    </div>
  );
}

// The config: its text, its file, and all that may keep a draft out of the file.

function ConfigPane() {
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <section id="config" class="pane" tabIndex={-1} aria-labelledby="config-title">
      <div class="bar">
        <h2 id="config-title">Config</h2>
        <Status />
      </div>
      <Unsaved />
      {/* The editor begins with the first text, which nobody can undo. */}
      <div id="editor">{state.value && <Code onSave={() => void save()} />}</div>
      <Problems onShow={() => showPane('config')} />
    </section>
  );
}

/** Saves from wherever the keyboard is. In the text, the editor has done so already. */
function onKey(event: KeyboardEvent): void {
  const isSave = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 's';
  if (!isSave || event.defaultPrevented) return;
  event.preventDefault();
  void save();
}

/** Which file it is, whether it has this text, and how to put it there. */
function Status() {
  if (!state.value) return null;
  const { file } = state.value;
  const isDraft = file.isDraft || isAhead.value;
  const isBroken = file.state !== 'fresh' && !isEmpty.value;
  return (
    <div id="status">
      <p>
        <code>{file.name}</code>{' '}
        {isBroken ? (
          <b class="bad">
            <Icon name="alert" /> does not load
          </b>
        ) : (
          isDraft && (
            <span class="changed" title="Changed here, but not saved to the file yet">
              <span class="unseen">changed here</span>
            </span>
          )
        )}
      </p>
      {isDraft && (
        <Button id="discard" title="Revert to the file" onClick={() => discard()}>
          Discard
        </Button>
      )}
      {isDraft && (
        <Button class="main small" id="save" aria-keyshortcuts="Control+S Meta+S" onClick={() => save()}>
          Save to file
        </Button>
      )}
    </div>
  );
}
