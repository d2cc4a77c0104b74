/** Reasons why a draft cannot be saved, with the owner's choices. */

import { Button } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import { state } from '../store.ts';
import {
  discard,
  goOn,
  question,
  refused,
  replaceRival,
  rival,
  save,
  seenTheirs,
  takeRival,
} from './drafts.ts';

export function Unsaved() {
  const file = state.value?.file;
  if (!file) return null;
  return (
    <div id="unsaved" role="alert">
      {file.locked !== undefined && <Bar says={file.locked} />}
      {refused.value !== '' && <Bar says={`This value was rejected: ${refused.value}.`} />}
      <QuestionBar />
    </div>
  );
}

/** The question after an attempt to save. */
function QuestionBar() {
  const current = question.value;
  if (current?.kind === 'trouble')
    return (
      <Bar says={`Saving failed: ${current.says}. Your text stays here.`}>
        <Choose id="again" does={() => save()} words="Try again" />
      </Bar>
    );
  if (current?.kind === 'broken')
    return (
      <Bar says="This config does not load: a relay cannot start with it. Save it anyway?">
        <Choose id="broken" does={() => save(current.how)} words="Save it anyway" />
        <Choose id="edit" does={goOn} words="Keep editing" />
      </Bar>
    );
  return null;
}

/** A bar across the page that asks which text to keep, because another tab changed the draft, or another program the file. */
export function Overtaken() {
  if (rival.value !== undefined)
    return (
      <section id="overtaken" role="alert" aria-label="The draft was changed">
        <Bar says="Another tab changed the config in the meantime, and you have unsaved changes.">
          <Choose id="theirs" does={takeRival} words="Use the other tab’s version" />
          <Choose id="mine" does={replaceRival} words="Keep mine" />
        </Bar>
      </section>
    );
  const theirs = state.value?.file.overtakenBy;
  if (theirs === undefined || theirs === seenTheirs.value || question.value) return null;
  const happened = theirs === '' ? 'removed or emptied' : 'changed';
  return (
    <section id="overtaken" role="alert" aria-label="The file was changed">
      <Bar says={`The file was ${happened} on disk in the meantime, and you have unsaved changes.`}>
        <Choose id="theirs" does={discard} words="Use the file’s version" />
        <Choose id="edit" does={goOn} words="Keep mine" />
        <Choose id="mine" does={() => save(['anyway'])} words="Overwrite it with mine" />
      </Bar>
    </section>
  );
}

const Bar = ({ says, children }: { readonly says: string; readonly children?: ComponentChildren }) => (
  <div class="notice warn">
    <p>{says}</p>
    {children}
  </div>
);

interface ChooseProps {
  readonly id: string;
  readonly words: string;
  readonly does: () => unknown;
}

const Choose = ({ id, words, does }: ChooseProps) => (
  <Button id={id} onClick={() => void does()}>
    {words}
  </Button>
);
