import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { titleOf } from '../about.ts';
import { open, query } from '../address.ts';
import { counted, nameOf, number, shortTime } from '../words.ts';
import type { Sealed } from './sealed.ts';
import { asking, lock, sealedRow, search, unlocked } from './sealed_now.ts';

/** How far opening is, and which open submissions match: the server cannot search them. */
export function SealedBar() {
  const sealed = unlocked.value;
  const { Dialog, sealed: locked } = asking.value ?? {};
  return (
    <>
      {sealed && <Status sealed={sealed} />}
      {sealed && query.value.search && <Matches sealed={sealed} text={query.value.search} />}
      {Dialog && locked && <Dialog sealed={locked} close={() => (asking.value = undefined)} />}
    </>
  );
}

function Status({ sealed }: { readonly sealed: Sealed }) {
  const { opened = 0, of = 0, shut = 0, problem } = sealed.progress.value ?? {};
  return (
    <div class="notice quiet">
      <p role="status">
        {opened + shut < of
          ? `Opening: ${number(opened)} of ${number(of)}`
          : `${counted(opened, 'sealed submission')} open`}
        {shut > 0 && `, ${number(shut)} stay shut`}
        {problem && `. ${problem}`}
      </p>
      <button type="button" class="tool" onClick={lock}>
        Lock
      </button>
      <button
        type="button"
        class="tool"
        title="Removes the sealed index of this inbox from this browser"
        onClick={() => void sealed.forget()}
      >
        Lock and forget
      </button>
    </div>
  );
}

const mostMatches = 100;

function Matches({ sealed, text }: { readonly sealed: Sealed; readonly text: string }) {
  const found = useSignal<Awaited<ReturnType<typeof search>> | undefined>(undefined);
  const { opened } = sealed.progress.value ?? {};
  useEffect(() => {
    let isLatest = true;
    void search(sealed, text).then((matches) => {
      if (isLatest) found.value = matches;
    });
    return () => {
      isLatest = false;
    };
  }, [sealed, text, opened]);
  const { ids = [], problem } = found.value ?? {};
  return (
    <section class="sealed-matches" aria-label="Sealed submissions that match">
      <p class="sum aside" role="status">
        {problem ?? `${counted(ids.length, 'sealed submission')}`}
        {ids.length > mostMatches && `; the newest ${mostMatches}:`}
      </p>
      <ul>
        {ids.slice(0, mostMatches).map((id) => (
          <li key={id}>
            <Match id={id} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Match({ id }: { readonly id: string }) {
  const row = sealedRow(id);
  return (
    <button type="button" class="row" onClick={() => open(id)}>
      <span class="first">
        <bdi class="sender">{nameOf(row?.sender ?? '') || 'No name'}</bdi>
        {row && <time dateTime={new Date(row.receivedAt).toISOString()}>{shortTime(row.receivedAt)}</time>}
      </span>
      <span class="second">
        {row && <span class="form">{titleOf(row.form)}</span>}
        <bdi class="summary">{row?.summary}</bdi>
      </span>
    </button>
  );
}
