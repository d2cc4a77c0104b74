/** The relay's own problems at their places; where a word was meant, with a click that writes it. */
import { type Diagnostic, forEachDiagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import type { EditorState, Extension, Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { ProblemState } from '../../src/state.ts';
import { say } from '../store.ts';
import { manualText } from './manual_text.ts';

export const problemMarks: Extension = lintGutter();

type Marked = Diagnostic & { readonly problem: ProblemState };

/** Marks these problems of the text that the view has now; until the next ones come, they move with it. */
export function markProblems(view: EditorView, problems: readonly ProblemState[]): void {
  const { doc } = view.state;
  const marks = problems.filter(({ line }) => line > 0 && line <= doc.lines).map((one) => markOf(doc, one));
  view.dispatch(setDiagnostics(view.state, marks));
}

function markOf(doc: Text, problem: ProblemState): Marked {
  const { severity, message, line, column, length, fix } = problem;
  const { from: start, to: end } = doc.line(line);
  const from = Math.min(start + column - 1, end);
  const to = Math.min(from + length, fix === undefined ? end : doc.length);
  return {
    problem,
    from,
    to,
    severity,
    message,
    renderMessage: () => manualText(message),
    ...(fix !== undefined && {
      actions: [{ name: fixName(fix), apply: (view, from, to) => write(view, from, to, fix) }],
    }),
  };
}

export const fixName = (fix: string) => `Change to ${fix}`;

function write(view: EditorView, from: number, to: number, fix: string): void {
  if (view.state.readOnly) return;
  view.dispatch({ changes: { from, to, insert: fix }, userEvent: 'input.fix', scrollIntoView: true });
  say(`Changed to ${fix}.`);
}

/** Where a problem stands by now; `undefined` where its text is gone. */
export function placeOf(
  state: EditorState,
  problem: ProblemState,
): { readonly from: number; readonly to: number } | undefined {
  let place: { readonly from: number; readonly to: number } | undefined;
  forEachDiagnostic(state, (one, from, to) => {
    if ((one as Marked).problem === problem) place = { from, to };
  });
  return place;
}

export function mend(view: EditorView, problem: ProblemState): void {
  const place = placeOf(view.state, problem);
  if (place && problem.fix !== undefined) write(view, place.from, place.to, problem.fix);
}
