import { useSignal } from '@preact/signals';
import type { Erased, Found } from '../../src/api.ts';
import { may, titleOf } from '../about.ts';
import { open, opened } from '../address.ts';
import { asJson, post, wordsOf } from '../ask.ts';
import { changed } from '../list/entries.ts';
import { counted, exactTime, stateWords } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { save } from './save.ts';
import { close } from './shown.ts';

/** All that is stored of one person: to save, or to erase once it was listed. */
export function Person() {
  const email = useSignal('');
  const found = useSignal<(Found & { readonly email: string }) | undefined>(undefined);
  const words = useSignal<readonly string[]>([]);
  const isBusy = useSignal(false);
  const during = async (what: () => Promise<void>) => {
    isBusy.value = true;
    words.value = [];
    try {
      await what();
    } catch (error) {
      words.value = [wordsOf(error)];
    } finally {
      isBusy.value = false;
    }
  };
  const list = () =>
    during(async () => {
      const address = email.value.trim();
      found.value = undefined;
      found.value = { ...(await post<Found>('/api/person', { email: address })), email: address };
    });
  const saveAll = () =>
    during(async () => {
      const stop = new AbortController().signal;
      await save('/api/person/export', asJson({ email: email.value.trim() }), {
        name: 'person.jsonl',
        stop,
        on: () => {},
      });
      words.value = ['Saved.'];
    });
  const erase = () =>
    during(async () => {
      const { email: address, entries } = found.value ?? { email: '', entries: [] };
      const ids = entries.map(({ id }) => id);
      const { entries: erased, left } = await post<Erased>('/api/person/erase', { email: address, ids });
      found.value = undefined;
      words.value = [`Erased ${counted(erased, 'submission')}.`, ...left];
      if (ids.includes(opened.peek() ?? '')) open(undefined);
      await changed();
    });
  return (
    <Dialog title="One person">
      <p>
        Finds everything stored from an address: delivered, kept and dropped submissions of all forms that you
        may see.
      </p>
      <form
        class="person-line"
        onSubmit={(event) => {
          event.preventDefault();
          void (may('erase') ? list() : saveAll());
        }}
      >
        <label class="field">
          Address
          <input
            type="email"
            required
            autocomplete="off"
            value={email.value}
            onInput={({ currentTarget: { value } }) => {
              email.value = value;
              found.value = undefined;
            }}
          />
        </label>
        {may('erase') && (
          <button type="submit" class="main" disabled={isBusy.value || email.value.trim() === ''}>
            List
          </button>
        )}
        <button
          type="button"
          class="tool"
          disabled={isBusy.value || email.value.trim() === ''}
          onClick={() => void saveAll()}
        >
          Save all as JSON Lines
        </button>
      </form>
      <div role="status">
        {words.value.map((one) => (
          <p key={one}>{one}</p>
        ))}
        {found.value && <p>{counted(found.value.entries.length, 'submission')} found.</p>}
      </div>
      {found.value && (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard */}
          <ul class="person-found" tabIndex={0} aria-label="Submissions found">
            {found.value.entries.map((entry) => (
              <li key={entry.id}>
                <b>{exactTime(entry.receivedAt)}</b> <bdi>{titleOf(entry.form)}</bdi>{' '}
                <span class={`tag ${entry.state}`}>{stateWords[entry.state]}</span>
                <span class="aside">{entry.places.join(', ')}</span>
              </li>
            ))}
          </ul>
          {found.value.sealed > 0 && (
            <p class="notice warn">
              {counted(found.value.sealed, 'sealed submission')} could not be looked into.
            </p>
          )}
          <div class="buttons">
            <button type="button" class="tool" onClick={close}>
              Cancel
            </button>
            {found.value.entries.length > 0 && (
              <button type="button" class="main bad" disabled={isBusy.value} onClick={() => void erase()}>
                Erase {counted(found.value.entries.length, 'submission')}
              </button>
            )}
          </div>
        </>
      )}
    </Dialog>
  );
}
