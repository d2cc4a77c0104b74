/** The config: its text, its file, and all that may keep a draft out of the file. */

import { Button, Icon } from '@form-relay/ui/controls';
import { useEffect } from 'preact/hooks';
import { Code, Problems } from '../code/problems.tsx';
import { isEmpty, state } from '../store.ts';
import { showPane } from './address.ts';
import { discard, isAhead, save } from './drafts.ts';
import { Unsaved } from './unsaved.tsx';

export function ConfigPane() {
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
            <span class="changed" title="Changed here, and not in the file yet">
              <span class="unseen">changed here</span>
            </span>
          )
        )}
      </p>
      {isDraft && (
        <Button id="discard" title="Back to what the file has" onClick={() => discard()}>
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
