import { Button, Icon, type IconName, Trouble } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import type { ButtonHTMLAttributes, ComponentChildren, ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { about, attempt, failure, isConnected, notice, notify, progress, readAbout } from './about.ts';
import { isFormsOpen, look, opened, page, showPage } from './address.ts';
import { goneWords, post } from './ask.ts';
import { attention, RunNotice } from './attention/attention.tsx';
import { dialog } from './controls.tsx';
import { Export } from './dialogs/dialogs.tsx';
import { Person } from './dialogs/person.tsx';
import { Forms } from './forms.tsx';
import { Help } from './keys.tsx';
import { Filters, Views } from './list/filters.tsx';
import { Found } from './list/list.tsx';
import { Message } from './message/message.tsx';
import { number } from './words.ts';

/** Loads a page only when it is opened, so that the list appears sooner. */
function later(load: () => Promise<ComponentType>) {
  const loaded = signal<{ readonly Page: ComponentType } | undefined>(undefined);
  const read = () => {
    if (!loaded.peek())
      load().then(
        (Page) => (loaded.value = { Page }),
        () => notify(goneWords, true),
      );
  };
  return () => {
    useEffect(read, []);
    return loaded.value ? <loaded.value.Page /> : <p class="says">Loading…</p>;
  };
}

const NumbersView = later(async () => (await import('./numbers/numbers.tsx')).NumbersView);
const People = later(async () => (await import('./people/people.tsx')).People);

export function Inbox() {
  const isOpen = opened.value !== undefined;
  return (
    <div class={`inbox${isOpen ? ' reading' : ''}`}>
      <Header />
      <Notices />
      {page.value === 'people' ? <People /> : <Submissions />}
      {dialog.value}
      <p class="toast" role="status">
        {notice.value && !notice.value.isBad && <span>{notice.value.words}</span>}
      </p>
    </div>
  );
}

function Submissions() {
  const isOpen = opened.value !== undefined;
  return (
    <>
      <nav class={`side${isFormsOpen.value ? ' shown' : ''}`} aria-label="Forms">
        <Forms>
          <Views />
        </Forms>
      </nav>
      <main class="parts">
        <h1 class="unseen">Submissions</h1>
        {page.value === 'numbers' ? (
          <NumbersView />
        ) : (
          <>
            <div class="middle">
              <Filters />
              <Found />
            </div>
            <section class="right" aria-label="Submission">
              {isOpen ? <Message key={opened.value} id={opened.value ?? ''} /> : <NothingOpen />}
            </section>
          </>
        )}
      </main>
    </>
  );
}

const NothingOpen = () => (
  <div class="nothing">
    <Icon name="inbox" />
    <p>Choose a submission to read it.</p>
    <p class="aside">
      Press <kbd>?</kbd> for the keys.
    </p>
  </div>
);

function Header() {
  const { person, config } = about.value ?? {};
  const signOut = () =>
    attempt(async () => {
      const { to } = await post<{ readonly to: string }>('/api/sign-out', {});
      location.assign(to);
    });
  const button = (
    icon: IconName,
    words: string,
    onClick: () => unknown,
    more: ButtonHTMLAttributes = {},
    aside?: ComponentChildren,
  ) => (
    <Button aria-label={words} onClick={() => void onClick()} {...more}>
      <Icon name={icon} />
      <span class="wide">{words}</span>
      {aside}
    </Button>
  );
  return (
    <header class="head">
      {page.value !== 'people' && (
        <Button
          class="tool only-narrow"
          aria-expanded={isFormsOpen.value}
          onClick={() => (isFormsOpen.value = !isFormsOpen.value)}
        >
          <Icon name="menu" />
          Forms
          {attention('failed') > 0 && (
            <span class="tag bad">
              {number(attention('failed'))}
              <span class="unseen"> not delivered</span>
            </span>
          )}
        </Button>
      )}
      <p class="brand">
        <Icon name="inbox" />
        <b>Inbox</b>
        <span class="aside config">{config}</span>
      </p>
      <span class="grow" />
      {button('chart', 'Numbers', () => look(page.peek() === 'numbers' ? 'list' : 'numbers'), {
        'aria-pressed': page.value === 'numbers',
      })}
      {button('download', 'Export', () => (dialog.value = <Export />))}
      {button('search', 'One person', () => (dialog.value = <Person />))}
      {button('help', 'Keys', () => (dialog.value = <Help />))}
      {(person?.mayManage || person?.canSignOut) &&
        button(
          'people',
          person.mayManage ? 'People' : 'Sessions',
          () => showPage(page.value === 'people' ? undefined : 'people'),
          { 'aria-current': page.value === 'people' ? 'page' : undefined },
        )}
      {person?.canSignOut &&
        button('out', 'Sign out', signOut, {}, <span class="wide aside">{person.name}</span>)}
    </header>
  );
}

function Notices() {
  const { troubles, whyNoWork } = about.value ?? {};
  const now = progress.value;
  return (
    <div class="notices">
      {now && (
        <div class="notice quiet">
          <p id="progress">
            Reading the archives: {number(now.done)}
            {now.of === undefined ? '' : ` of ${number(now.of)}`}
          </p>
          <progress
            aria-labelledby="progress"
            value={now.of ? now.done : undefined}
            max={now.of || undefined}
          />
        </div>
      )}
      <RunNotice />
      {failure.value && <Trouble words={failure.value} onGo={() => void readAbout()} />}
      {!isConnected.value && !failure.value && (
        <div class="notice warn" role="status">
          <p>The connection to the inbox was lost. Reconnecting…</p>
        </div>
      )}
      {notice.value?.isBad && (
        <Trouble words={notice.value.words} button="Close" onGo={() => (notice.value = undefined)} />
      )}
      {whyNoWork && (
        <div class="notice warn">
          <p>Labels, notes and replies are unavailable: {whyNoWork}.</p>
        </div>
      )}
      {troubles && troubles.count > 0 && (
        <details class="notice warn">
          <summary>
            {troubles.count === 1
              ? '1 file needs attention'
              : `${number(troubles.count)} files need attention`}
          </summary>
          <ul class="notes">
            {troubles.latest.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
