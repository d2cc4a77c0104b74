import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Erased, Found } from '../../src/api.ts';
import { about, mayIn, tell } from '../about.ts';
import { open, opened } from '../address.ts';
import { asJson, post, wordsOf } from '../ask.ts';
import { Button } from '../button.tsx';
import { changed } from '../list/entries.ts';
import { counted, number } from '../words.ts';
import { close, Dialog, Running } from './dialog.tsx';
import { PersonFound } from './person_found.tsx';
import { save } from './save.ts';

interface Said {
  readonly words: readonly string[];
  readonly isBad?: boolean;
}

/** A server that can remove nothing of thousands says so for each. */
const mostWords = 20;

/** All that is stored of one person: to save, or to erase once it was listed. */
export function Person() {
  const email = useSignal('');
  const found = useSignal<(Found & { readonly email: string }) | undefined>(undefined);
  const said = useSignal<Said>({ words: [] });
  const isBusy = useSignal(false);
  const erasing = useSignal<(Erasing & { readonly of: number }) | undefined>(undefined);
  const stop = useRef(new AbortController());
  const isClosed = useRef(false);
  useEffect(
    () => () => {
      isClosed.current = true;
      stop.current.abort();
    },
    [],
  );
  const during = async (what: () => Promise<Said>) => {
    isBusy.value = true;
    said.value = { words: [] };
    stop.current = new AbortController();
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
      const { rows } = await save('/api/person/export', asJson({ email: email.value.trim() }), {
        name: 'person.jsonl',
        stop: stop.current.signal,
        on: () => {},
      });
      return { words: [`Saved ${counted(rows, 'submission')}.`] };
    });
  const eraseAll = () =>
    during(async () => {
      const { email: address, entries } = found.value ?? { email: '', entries: [] };
      const ids = entries.map(({ id }) => id);
      const end = await erase(address, ids, stop.current.signal, (now) => {
        erasing.value = { ...now, of: ids.length };
      });
      erasing.value = undefined;
      found.value = undefined;
      if (ids.slice(0, end.done).includes(opened.peek() ?? '')) open(undefined);
      void changed();
      const words = [sumOf(end, ids.length), ...end.left];
      const isBad = end.erased < ids.length || end.left.length > 0;
      // The dialog may be closed by now, and with it what it says.
      if (isClosed.current) tell(words.slice(0, mostWords).join(' '), isBad);
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
      <form
        class="person-line"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isUnready) void (erasable.length > 0 ? list() : saveAll());
        }}
      >
        <label class="field">
          Address
          <input
            inputmode="email"
            required
            autofocus
            autocomplete="off"
            disabled={erasing.value !== undefined}
            value={email.value}
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
      </form>
      {erasing.value && (
        <Running
          id="erasing"
          words={`${number(erasing.value.done)} of ${number(erasing.value.of)}`}
          {...erasing.value}
        />
      )}
      <Words {...said.value} />
      {found.value && !erasing.value && <PersonFound found={found.value} />}
      <div class="buttons">
        {erasing.value ? (
          <Button onClick={() => stop.current.abort()}>Stop</Button>
        ) : (
          <Button onClick={close}>{found.value?.entries.length ? 'Cancel' : 'Close'}</Button>
        )}
        {found.value && found.value.entries.length > 0 && !erasing.value && (
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

function sumOf({ erased, done, broken }: Erasing, of: number): string {
  const sum =
    erased === of
      ? `Erased ${counted(erased, 'submission')}.`
      : `Erased ${number(erased)} of ${counted(of, 'submission')}.`;
  return broken === undefined ? sum : `${sum} ${broken} List again to erase the other ${number(of - done)}.`;
}

/** The server takes 10,000 ids and 1 MB, and an id has up to 300 characters. */
const idsAtOnce = 1_000;

export interface Erasing {
  readonly erased: number;
  /** Ids that the server has dealt with. */
  readonly done: number;
  readonly left: readonly string[];
  /** Why not all ids were sent. */
  readonly broken?: string;
}

export async function erase(
  email: string,
  ids: readonly string[],
  stop: AbortSignal,
  on: (now: Erasing) => void,
): Promise<Erasing> {
  let now: Erasing = { erased: 0, done: 0, left: [] };
  on(now);
  while (now.done < ids.length) {
    if (stop.aborted) return { ...now, broken: 'Stopped.' };
    const some = ids.slice(now.done, now.done + idsAtOnce);
    try {
      const { entries, left } = await post<Erased>('/api/person/erase', { email, ids: some });
      now = {
        erased: now.erased + entries,
        done: now.done + some.length,
        left: [...new Set([...now.left, ...left])],
      };
    } catch (error) {
      return { ...now, broken: wordsOf(error) };
    }
    on(now);
  }
  return now;
}
