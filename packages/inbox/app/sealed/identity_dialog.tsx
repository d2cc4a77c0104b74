/** Asks for the identity that opens sealed submissions. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Sealed } from './sealed.ts';
import './sealed.css';

export function IdentityDialog({ sealed, close }: { readonly sealed: Sealed; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  useEffect(() => dialog.current?.showModal(), []);
  const unlock = async (event: Event) => {
    event.preventDefault();
    const given = new FormData(form.current ?? undefined);
    const file = given.get('file');
    const identity =
      file instanceof File && file.size > 0
        ? new Uint8Array(await file.arrayBuffer())
        : String(given.get('text'));
    setBusy(true);
    setProblem('');
    const result = await sealed.unlock(identity, String(given.get('passphrase')));
    setBusy(false);
    if (!result.ok) return setProblem(result.error);
    form.current?.reset();
    close();
  };
  return (
    <dialog ref={dialog} class="identity" aria-labelledby="identity-title" onClose={close}>
      <form ref={form} onSubmit={unlock} autocomplete="off">
        <h2 id="identity-title">Open sealed submissions</h2>
        <p class="about">
          Your identity stays in this browser's memory until you lock or close the page. It is never stored or
          sent.
        </p>
        <div class="field">
          <label for="identity-file">Identity file</label>
          <input id="identity-file" name="file" type="file" />
        </div>
        <div class="field">
          <label for="identity-text">Or its text</label>
          <textarea id="identity-text" name="text" rows={3} spellcheck={false} />
        </div>
        <div class="field">
          <label for="identity-passphrase">Passphrase, if the file has one</label>
          <input id="identity-passphrase" name="passphrase" type="password" autocomplete="off" />
        </div>
        <p role="alert">{problem}</p>
        <div class="buttons">
          <button type="submit" class="main" disabled={isBusy}>
            {isBusy ? 'Opening …' : 'Open'}
          </button>
          <button type="button" class="tool" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
