/** The relay's own problems at their places; where one change mends it, with a click that makes it. */
import { type Diagnostic, forEachDiagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import type { EditorState, Extension, Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { Fix, ProblemState } from '../../src/state.ts';
import { showOutputs } from '../build/builder_tab.ts';
import { manualText } from '../prose.tsx';
import { act, say } from '../store.ts';

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
  const to = Math.min(from + length, fix?.text === undefined ? end : doc.length);
  return {
    problem,
    from,
    to,
    severity,
    message,
    renderMessage: () => manualText(message),
    ...(fix && { actions: [{ name: fix.name, apply: (view, from, to) => write(view, from, to, fix) }] }),
  };
}

function write(
  view: EditorView,
  from: number,
  to: number,
  { name, text, outputsOf, actions = [] }: Fix,
): void {
  if (outputsOf !== undefined) return void showOutputs(outputsOf);
  if (view.state.readOnly) return;
  if (text === undefined) return void act(actions, name);
  view.dispatch({ changes: { from, to, insert: text }, userEvent: 'input.fix', scrollIntoView: true });
  say(`Changed to ${text}.`);
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
  if (place && problem.fix) write(view, place.from, place.to, problem.fix);
}
