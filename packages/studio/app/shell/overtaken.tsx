/** The difference between the text and its file, which another program changed. */
import { state } from '../store.ts';
import { Difference } from './difference.tsx';
import { discard, goOn, question, save, seenTheirs } from './drafts.ts';
import { Bar, Choose } from './unsaved.tsx';

/** Shows what another program did to the file meanwhile, across the page: below what is typed on, not over it. */
export function Overtaken() {
  const theirs = state.value?.file.overtakenBy;
  if (theirs === undefined || theirs === seenTheirs.value || question.value) return null;
  return (
    <section id="overtaken" aria-label="The file was changed">
      <div role="alert">
        <Bar
          says={
            theirs === ''
              ? 'The file was removed or emptied on disk meanwhile.'
              : 'The file was changed on disk meanwhile. Left or red: the file. Right or green: yours.'
          }
        >
          <Choose id="theirs" does={discard} words="Take the file’s" />
          <Choose id="edit" does={goOn} words="Keep mine" />
          <Choose id="mine" does={() => save(['anyway'])} words="Save mine over it" />
        </Bar>
      </div>
      {theirs !== '' && <Difference theirs={theirs} />}
    </section>
  );
}
