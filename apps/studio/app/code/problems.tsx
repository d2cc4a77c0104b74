import { Icon } from '@form-relay/ui/controls';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ProblemState } from '../../src/state.ts';
import { useHistory } from '../pending.ts';
import { editor, isEmpty, settle, state } from '../store.ts';
import { createCodeView, mend, placeOf, reveal, shownView } from './view.ts';
import './code.css';
import { Prose } from '../prose.tsx';

interface ProblemsProps {
  /** Brings the editor into view where something else stands in its place. */
  readonly onShow?: () => void;
}

/** Why the config does not load, or what its relay would warn of: each leads to its place, or mends it. */
export function Problems({ onShow }: ProblemsProps) {
  const { file } = state.value ?? {};
  const problems = state.value?.problems.filter((problem) => !isToDo(problem)) ?? [];
  if (problems.length === 0 || isEmpty.value) return null;
  const isBroken = problems.some(({ severity }) => severity === 'error');
  const serving =
    file?.state === 'never_loaded' ? 'No form to show yet.' : 'This is the last version that loaded.';
  return (
    <section
      id="problems"
      class={`problems ${isBroken ? 'bad' : 'warn'}`}
      role={isBroken ? 'alert' : undefined}
      aria-labelledby="problems-title"
    >
      <h3 id="problems-title">
        <Icon name={isBroken ? 'cross' : 'alert'} />{' '}
        {isBroken ? `The config does not load. ${serving}` : 'The config loads, but check this:'}
      </h3>
      <ul>
        {problems.map((problem) => (
          <li key={`${problem.line} ${problem.column} ${problem.code} ${problem.path}`}>
            {problem.line > 0 && (
              <button type="button" class="place" onClick={() => show(problem, onShow)}>
                Line {problem.line}
              </button>
            )}{' '}
            {problem.path !== '' && <code>{problem.path}</code>}{' '}
            {isBroken && problem.severity === 'warning' && 'warning: '}
            <Says problem={problem} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function show(problem: ProblemState, onShow?: () => void): void {
  onShow?.();
  const view = shownView.value;
  const place = view && placeOf(view.state, problem);
  if (!place) return;
  reveal(view, place.from, place.to);
  view.focus();
}

/** The address of an example is for the owner to fill in: it does no harm until the outputs really deliver. */
export const isToDo = ({ code, severity }: ProblemState): boolean =>
  code?.endsWith('_address_reserved') && severity === 'warning' && !state.value?.isLive;

interface CodeProps {
  /** Mod-s: puts the text into the file. */
  readonly onSave?: () => void;
}

/** The config's text, which belongs to this editor. */
export function Code({ onSave }: CodeProps) {
  const host = useRef<HTMLDivElement>(null);
  const save = useRef(onSave);
  save.current = onSave;
  // Before the first paint, since a link may bring another config at once.
  useLayoutEffect(() => {
    const root = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' });
    if (!root) return;
    // A root of its own: CodeMirror's styles are adopted there, which needs no permission of the policy.
    const hint = document.createElement('p');
    Object.assign(hint, { id: 'hint', hidden: true, textContent: howTo });
    root.replaceChildren(hint);
    const { editor: made, stop } = createCodeView({
      root,
      describedBy: 'hint',
      onSave: () => save.current?.(),
    });
    editor.value = made;
    useHistory(made);
    return () => {
      editor.value = undefined;
      useHistory(undefined);
      stop();
    };
  }, []);
  return <div class="code" ref={host} />;
}

const howTo = 'Tab indents. Press Escape, then Tab, to leave the editor. F8 goes to the next problem.';

// The relay's problems in words, with what mends them.

interface ListProps {
  readonly problems: readonly ProblemState[];
  readonly id?: string;
}

/** Problems, next to the setting that they are about. */
export const ProblemList = ({ problems, id }: ListProps) =>
  problems.length > 0 ? (
    <ul class="set-problems" id={id}>
      {problems.map((problem) => (
        <li key={problem.message} class={problem.severity}>
          <span class="unseen">{problem.severity === 'error' ? 'Problem: ' : 'Warning: '}</span>
          <Says problem={problem} />
        </li>
      ))}
    </ul>
  ) : null;

function Says({ problem }: { readonly problem: ProblemState }) {
  const { message, fix } = problem;
  return (
    <>
      <Prose text={message} />{' '}
      {fix && (
        <button
          type="button"
          class="fix"
          onClick={({ currentTarget }) => {
            const view = shownView.value;
            if (!view) return;
            const around = currentTarget.closest('[data-path]');
            settle();
            mend(view.state, problem);
            // The button goes away with its problem.
            (around?.querySelector<HTMLElement>('input, select, textarea') ?? view).focus();
          }}
        >
          {fix.name}
        </button>
      )}
    </>
  );
}
