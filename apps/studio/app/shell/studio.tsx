/** The page's layout. By the window's width, studio.css decides which parts are side by side. */

import { Button, Icon, type IconName } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Arrived } from '../arrived/arrived.tsx';
import { Builder } from '../build/builder.tsx';
import { openForm } from '../build/fields/forms.tsx';
import { Code, Problems } from '../code/problems.tsx';
import { Deeds, TryPane } from '../form/about.tsx';
import { Choice } from '../inputs.tsx';
import { Prose } from '../prose.tsx';
import { StartingPoints } from '../start/starting_points.tsx';
import { busy, isEmpty, isLost, knownBefore, notice, reports, said, say, state } from '../store.ts';
import { front, type Pane, pane, showPane, side, tab } from './address.ts';
import { discard, isAhead, me, refresh, save } from './drafts.ts';
import { Header } from './header.tsx';
import { Overtaken, Unsaved } from './unsaved.tsx';
import './studio.css';
import type { PublishState, ReportState } from '../../src/state.ts';
import { published } from '../publish/publish.tsx';

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
        <Choice class="choice of-side" {...sides} value={side.value} onChoose={showPane} />
        <ConfigPane />
        <section id="form-pane" class="pane" tabIndex={-1} aria-label="Form">
          <div class="bar of-form">
            <Choice class="choice" {...tabs} value={tab.value} onChoose={showPane} />
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
        <Choice class="choice of-panes" {...panes()} value={pane.value} onChoose={showPane} />
      </nav>
      <p id="said" class="unseen" role="status">
        {said}
      </p>
    </>
  );
}

type Options = readonly (readonly [Pane, ComponentChildren])[];
const choice = (name: string, label: string, options: Options) => ({ name, label, options });
const withIcon = (pane: Pane, icon: IconName, words: string) =>
  [pane, [<Icon key={pane} name={icon} />, ` ${words}`]] as const;

const tabs = choice('tab', 'The form', [
  ['build', 'Build'],
  ['try', 'Try'],
]);
const sides = choice('side', 'Beside the form', [
  ['config', 'Config'],
  ['arrived', 'What arrived'],
]);
const panes = () =>
  choice('pane', 'Pane', [
    withIcon('build', 'pen', 'Build'),
    withIcon('try', 'play', 'Try'),
    withIcon('config', 'code', 'Config'),
    withIcon('arrived', 'inbox', reports.value.length > 0 ? `Arrived ${reports.value.length}` : 'Arrived'),
  ]);

/** The first mistake, shown when the config and its problems are hidden (studio.css). */
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

/** Shown while there is no form. */
function NoForm() {
  if (state.value?.file.state === 'never_loaded' && !isEmpty.value)
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

// The config's text and file, and everything that keeps a draft from being saved.

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
      {/* The editor starts with the first text, which cannot be undone. */}
      <div id="editor">{state.value && <Code onSave={() => void save()} />}</div>
      <Problems />
    </section>
  );
}

/** Saves regardless of focus. In the text, the editor handles the shortcut. */
function onKey(event: KeyboardEvent): void {
  const isSave = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 's';
  if (!isSave || event.defaultPrevented) return;
  event.preventDefault();
  void save();
}

/** Shows the file's name, whether it is saved, and how to save it. */
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

/** The server keeps this many. */
const mostReports = 100;

let run: string | undefined;
let last = 0;
/** The config may have changed while the page was not connected. */
let isStale = true;
let events: EventSource | undefined;
let retrying: ReturnType<typeof setTimeout> | undefined;
/** Delay after a refused connection. */
const retryMs = 500;

function take(report: ReportState): void {
  last = Math.max(last, report.number);
  reports.value = [report, ...reports.value]
    .toSorted((one, other) => other.number - one.number)
    .slice(0, mostReports);
}

function connect(): void {
  const source = new EventSource(`/studio/events?after=${last}`);
  events = source;
  const on = (type: string, then: (data: never) => void) =>
    source.addEventListener(type, ({ data }) => then(JSON.parse(data) as never));
  on('hello', (now: { run: string; oldest: number; latest: number }) => {
    run ??= state.value?.run ?? now.run;
    // The server restarted: its reports are gone, and this page's script may be outdated.
    if (now.run !== run) {
      location.reload();
      return;
    }
    if (isStale) void refresh();
    isStale = false;
    isLost.value = false;
    knownBefore.value ??= now.latest;
    busy.value = 0;
    reports.value = reports.value.filter(({ number }) => number >= now.oldest);
  });
  on('report', take);
  on('busy', (count: number) => {
    busy.value = count;
  });
  on('changed', (by: string) => {
    if (by !== me) void refresh();
  });
  on('served', (now: PublishState) => {
    published.value = now;
  });
  on('cleared', () => {
    reports.value = [];
  });
  source.addEventListener('error', () => {
    if (!isLost.value) say(stopped);
    isStale = true;
    isLost.value = true;
    // A restarted studio has a new key. Opening its URL in any tab of this browser renews the cookie.
    if (source.readyState === EventSource.CLOSED) retrying = setTimeout(connect, retryMs);
  });
}

const stopped =
  'The studio has stopped. Once it is running again, open the address that it prints. This page then reconnects, and keeps your unsaved changes.';

/** Connects only while the page is visible, because browsers open at most six connections per server for all tabs together. */
function follow(): void {
  void refresh();
  isStale = false;
  if (!document.hidden) connect();
  document.addEventListener('visibilitychange', () => {
    events?.close();
    clearTimeout(retrying);
    isStale = true;
    if (!document.hidden) connect();
  });
}
