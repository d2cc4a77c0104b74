/** The relay's problems in words, with what mends them. */
import type { ProblemState } from '../src/state.ts';
import { mend } from './code/diagnostics.ts';
import { shownView } from './code/view.ts';
import { Prose } from './prose.tsx';
import { settle } from './store.ts';

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

export function Says({ problem }: { readonly problem: ProblemState }) {
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
