import { Button } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Erased, Found } from '../../src/api.ts';
import { about, mayIn, notify, titleOf } from '../about.ts';
import { open, opened } from '../address.ts';
import { asJson, post, wordsOf } from '../ask.ts';
import { close, Dialog, Form, typed } from '../controls.tsx';
import { changed } from '../list/entries.ts';
import { counted, exactTime, number, stateWords } from '../words.ts';
import { save } from './dialogs.tsx';

function PersonFound({ found: { entries, sealed } }: { readonly found: Found }) {
  return (
    <>
      {entries.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
        <ul class="person-found" tabIndex={0} aria-label="Submissions found">
          {entries.map((entry) => (
            <li key={entry.id}>
              <b>{exactTime(entry.receivedAt)}</b> <bdi>{titleOf(entry.form)}</bdi>{' '}
              <span class={`tag ${entry.state}`}>{stateWords[entry.state]}</span>
              <span class="aside">{entry.places.join(', ')}</span>
            </li>
          ))}
        </ul>
      )}
      {sealed > 0 && (
        <p class="notice warn">
          {counted(sealed, 'sealed submission')} could not be searched: <code>relay archive erase</code> with{' '}
          <code>--identity</code> searches these, too.
        </p>
      )}
    </>
  );
}

interface Said {
  readonly words: readonly string[];
  readonly isBad?: boolean;
}

/** The server accepts this many ids in one request. */
const mostIds = 10_000;
/** Limits the list of failures: a server that cannot remove anything reports each of thousands. */
const mostWords = 20;

/** Everything stored about one person: export it, or review and erase it. */
export function Person() {
  const email = useSignal('');
  const found = useSignal<(Found & { readonly email: string }) | undefined>(undefined);
  const said = useSignal<Said>({ words: [] });
  const isBusy = useSignal(false);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const during = async (what: () => Promise<Said>) => {
    isBusy.value = true;
    said.value = { words: [] };
    try {
      said.value = await what();
    } catch (error) {
      said.value = { words: [wordsOf(error)], isBad: true };
    } finally {
      isBusy.value = false;
    }
  };
  const list = () =>
    during(async () => {
      const address = email.value.trim();
      found.value = undefined;
      found.value = { ...(await post<Found>('/api/person', { email: address })), email: address };
      return { words: [`${counted(found.value.entries.length, 'submission')} found.`] };
    });
  const saveAll = () =>
    during(async () => {
      const { signal } = stop.current;
      await save('/api/person/export', { ...asJson({ email: email.value.trim() }), signal }, 'person.jsonl');
      return { words: ['Saved.'] };
    });
  const eraseAll = () =>
    during(async () => {
      const { email: address, entries } = found.value ?? { email: '', entries: [] };
      const ids = entries.map(({ id }) => id).slice(0, mostIds);
      const { entries: erased, left } = await post<Erased>('/api/person/erase', { email: address, ids });
      found.value = undefined;
      if (ids.includes(opened.peek() ?? '')) open(undefined);
      void changed();
      const isBad = erased < entries.length || left.length > 0;
      const words = [
        `Erased ${isBad ? `${number(erased)} of ` : ''}${counted(entries.length, 'submission')}.`,
        ...left,
      ];
      // If the dialog was closed meanwhile, show the result as a notice.
      if (stop.current.signal.aborted) notify(words.slice(0, mostWords).join(' '), isBad);
      return { words, isBad };
    });
  const erasable = mayIn('erase');
  const isForSome = erasable.length > 0 && erasable.length < (about.value?.forms.length ?? 0);
  const isUnready = isBusy.value || email.value.trim() === '';
  return (
    <Dialog title="One person">
      <p>
        Finds everything stored from an address: delivered, kept and dropped submissions of all forms that you
        may see.
        {isForSome &&
          ` You can list and erase those of ${new Intl.ListFormat('en').format(erasable.map(({ title }) => title))}.`}
      </p>
      <Form class="person-line" onGo={() => !isUnready && (erasable.length > 0 ? list() : saveAll())}>
        <label class="field">
          Address
          <input
            {...typed(email)}
            inputmode="email"
            required
            autofocus
            disabled={isBusy.value}
            onInput={({ currentTarget: { value } }) => {
              email.value = value;
              found.value = undefined;
              said.value = { words: [] };
            }}
          />
        </label>
        {erasable.length > 0 && (
          <button type="submit" class="main" disabled={isUnready}>
            List
          </button>
        )}
        <Button disabled={isUnready} onClick={() => saveAll()}>
          Save all as JSON Lines
        </Button>
      </Form>
      <Words {...said.value} />
      {found.value && <PersonFound found={found.value} />}
      <div class="buttons">
        <Button onClick={close}>{found.value?.entries.length ? 'Cancel' : 'Close'}</Button>
        {found.value && found.value.entries.length > 0 && (
          <Button class="main bad" disabled={isBusy.value} onClick={() => eraseAll()}>
            Erase {counted(found.value.entries.length, 'submission')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

const Words = ({ words, isBad = false }: Said) => (
  <div class={isBad ? 'notice bad' : ''} role={isBad ? 'alert' : 'status'}>
    {words.slice(0, mostWords).map((one) => (
      <p key={one}>{one}</p>
    ))}
    {words.length > mostWords && <p>And {number(words.length - mostWords)} more.</p>}
  </div>
);
