import { Icon } from '@form-relay/ui/controls';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ProblemState } from '../../src/state.ts';
import { Prose } from '../prose.tsx';
import { showPane } from '../shell/address.ts';
import { isEmpty, settle, state } from '../store.ts';
import { mend, openCodeView, placeOf, reveal, shownView } from './view.tsx';
import './code.css';

/** Errors and warnings of the config: each shows its place, and may offer a fix. */
export function Problems() {
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
              <button type="button" class="place" onClick={() => show(problem)}>
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

function show(problem: ProblemState): void {
  showPane('config');
  const view = shownView.value;
  const place = view && placeOf(view.state, problem);
  if (!place) return;
  reveal(view, place.from, place.to);
  view.focus();
}

/** An example address is for the owner to replace, and harmless until outputs really deliver. */
export const isToDo = ({ code, severity }: ProblemState): boolean =>
  code?.endsWith('_address_reserved') && severity === 'warning' && !state.value?.isLive;

/** The config's text, which this editor owns. */
export function Code({ onSave }: { readonly onSave: () => void }) {
  const host = useRef<HTMLDivElement>(null);
  // Runs before the first paint, because a link may load another config immediately.
  useLayoutEffect(() => {
    // In a shadow root, CodeMirror adopts its styles there, which needs no permission in the CSP.
    const root = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' });
    return root && openCodeView(root, onSave);
  }, []);
  return <div class="code" ref={host} />;
}

// The relay's problems in words, with their fixes.

/** Problems next to the setting that caused them. */
export const ProblemList = ({ problems, id }: { problems: readonly ProblemState[]; id?: string }) =>
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
            // The button disappears with its problem.
            (around?.querySelector<HTMLElement>('input, select, textarea') ?? view).focus();
          }}
        >
          {fix.name}
        </button>
      )}
    </>
  );
}
