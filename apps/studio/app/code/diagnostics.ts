/** The relay's own problems at their places; where one change mends it, with a click that makes it. */
import { type Diagnostic, forEachDiagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { type EditorState, type Extension, Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { Fix, ProblemState } from '../../src/state.ts';
import { showOutputs } from '../build/builder_tab.ts';
import { built, pending, propose, proposeInText } from '../pending.ts';
import { manualText } from '../prose.tsx';
import { act, changeText } from '../store.ts';

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
    ...(fix && { actions: [{ name: fix.name, apply: (_, from, to) => write(from, to, fix) }] }),
  };
}

function write(from: number, to: number, fix: Fix, make = proposeInText): void {
  const { name, text, outputsOf, actions = [] } = fix;
  if (outputsOf !== undefined) return void showOutputs(outputsOf);
  if (text === undefined) act(actions, name);
  else changeText([{ from, to, insert: text }], `Changed to ${text}.`, make);
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

/** A problem of the text, or of what is pending. */
export function mend(state: EditorState, problem: ProblemState): void {
  const { fix } = problem;
  const place = placeOf(state, problem);
  if (!fix) return;
  if (place) write(place.from, place.to, fix);
  else if (pending.value?.includes(problem)) {
    const { from, to } = markOf(Text.of(built.value.split('\n')), problem);
    write(from, to, fix, propose);
  }
}
