/** The view of the text, and what the page does with it: it is the one owner of the config's text. */
import { isolateHistory, redo, undo, undoDepth } from '@codemirror/commands';
import { foldedRanges, unfoldEffect } from '@codemirror/language';
import { type Diagnostic, forEachDiagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  Prec,
  type StateEffect,
  Text,
  Transaction,
} from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { effect, signal, untracked } from '@preact/signals';
import type { Change, Path } from '../../edit/model.ts';
import type { Fix, ProblemState } from '../../src/state.ts';
import { built, pending, propose, proposeInText, setText } from '../pending.ts';
import { manualText } from '../prose.tsx';
import { valueAt } from '../schema_nodes.ts';
import { showOutputs } from '../shell/address.ts';
import { act, changeText, type Editor, isEmpty, notice, selected, state, text, written } from '../store.ts';
import { editing, goesOn, look, styleIn } from './editing.ts';
import { knowledge } from './knowledge.tsx';

/** `undefined` while no editor is on the page. */
export const shownView = signal<EditorView | undefined>(undefined);

/** The page itself moved the caret: nobody began to work on something else. */
const byPage = Annotation.define<boolean>();

export interface CodeView {
  readonly editor: Editor;
  readonly stop: () => void;
}

export interface CodeOptions {
  readonly root: ShadowRoot;
  /** The id of an element in `root` that says how to leave. */
  readonly describedBy: string;
  readonly onSave: () => void;
}

export function createCodeView({ root, describedBy, onSave }: CodeOptions): CodeView {
  const writable = new Compartment();
  /** The last change, if it was made by hand, and nothing was typed or undone since. */
  let latest: { readonly step: object | undefined; readonly at: number } | undefined;
  const follow = EditorView.updateListener.of(({ changes, docChanged, selectionSet, transactions }) => {
    if (docChanged) {
      latest = undefined;
      setText(view.state.doc.toString(), changes);
    }
    const isOwners = view.hasFocus && !transactions.some((one) => one.annotation(byPage));
    if ((docChanged || selectionSet) && isOwners) enter(view);
  });

  const keys: Extension = keymap.of([
    {
      key: 'Mod-s',
      preventDefault: true,
      run: () => {
        onSave();
        return true;
      },
    },
  ]);
  styleIn(root);
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text.value,
      extensions: [
        Prec.highest(keys),
        problemMarks,
        editing,
        knowledge,
        look,
        follow,
        writable.of([]),
        // Without it, axe takes the scrolled area for one that no keyboard reaches.
        EditorView.contentAttributes.of({
          'aria-label': 'Config',
          'aria-describedby': describedBy,
          tabindex: '0',
        }),
      ],
    }),
  });

  const editor: Editor = {
    apply: (changes, step) => {
      if (view.state.readOnly) {
        notice.value = state.value?.file.locked ?? 'This text cannot be changed here.';
        return;
      }
      const isMore = step !== undefined && latest?.step === step;
      // The history joins only changes of the same half second.
      const at = isMore && latest ? latest.at : Date.now();
      view.dispatch({
        changes: changes as Change[],
        annotations: [
          byPage.of(true),
          Transaction.time.of(at),
          isMore ? goesOn.of(true) : isolateHistory.of(step ? 'before' : 'full'),
        ],
      });
      latest = { step, at };
      if (sought !== undefined && sought === selected.peek()) show(view, sought);
    },
    undo: () => void undo(view),
    redo: () => void redo(view),
    depth: () => undoDepth(view.state),
    show: (path) => show(view, path),
    focus: () => view.focus(),
  };

  const effects = [
    // The first text, or another config: nothing that could be undone.
    effect(() => {
      const given = text.value;
      if (given !== view.state.doc.toString()) {
        view.dispatch({
          changes: { from: 0, to: view.state.doc.length, insert: given },
          annotations: [byPage.of(true), Transaction.addToHistory.of(false)],
        });
      }
    }),
    effect(() => {
      const isLocked = state.value?.file.locked !== undefined;
      view.dispatch({ effects: writable.reconfigure(isLocked ? EditorState.readOnly.of(true) : []) });
    }),
    effect(() => {
      const { file, problems } = state.value ?? {};
      // Problems of a text that was typed over are out of date. A file that is empty is a start, and not a mistake.
      if (problems && file?.text === view.state.doc.toString())
        markProblems(view, isEmpty.value ? [] : problems);
    }),
    effect(() => {
      const path = selected.value;
      if (path && path !== entered) untracked(() => show(view, path));
    }),
  ];
  shownView.value = view;
  return {
    editor,
    stop: () => {
      for (const stop of effects) stop();
      shownView.value = undefined;
      view.destroy();
    },
  };
}

/** The path that the caret made `selected`: the editor shows it already. */
let entered: Path | undefined;
let entering: ReturnType<typeof setTimeout> | undefined;

/** Works on the field, output or form that the caret is in, once it rests. */
function enter(view: EditorView): void {
  clearTimeout(entering);
  entering = setTimeout(() => {
    // The owner works elsewhere by now: what is open there would close, and lose what is typed.
    if (!view.hasFocus) return;
    const owner = ownerAt(view.state.selection.main.head);
    if (!owner) return;
    const isItem = owner.length > 2;
    const now = selected.peek();
    const isWithin = now && now.length >= owner.length && owner.every((one, index) => now[index] === one);
    const isOfList = now && /^(?:fields|outputs)$/.test(String(now[2]));
    // The form's own open settings stay open.
    if (isWithin && (isItem || !isOfList)) return;
    entered = owner;
    selected.value = owner;
  }, 100);
}

/** The field or output that an offset of the text is in, else its form. */
function ownerAt(offset: number): Path | undefined {
  const { value, rangeOf } = written.value;
  const isIn = (path: Path) => {
    const { from, to } = rangeOf(path) ?? { from: Infinity, to: 0 };
    return from <= offset && offset <= to;
  };
  const below = (path: Path) => Object.keys(valueAt(path, value) ?? {});
  const form = below(['forms'])
    .map((id): Path => ['forms', id])
    .find(isIn);
  const items = ['fields', 'outputs'].flatMap((list) =>
    form ? below([...form, list]).map((nth): Path => [...form, list, Number(nth)]) : [],
  );
  return items.find(isIn) ?? form;
}
/** The path of what is not in the text yet: it is shown again once there is more of it. */
let sought: Path | undefined;

/** Brings the nearest that is written of the path into view, unfolded, with the caret there. */
function show(view: EditorView, path: Path): void {
  const { rangeOf, text: read } = written.peek();
  // The latest typing is not parsed yet.
  if (read !== view.state.doc.toString()) return;
  sought = rangeOf(path) ? undefined : path;
  let range: { readonly from: number; readonly to: number } | undefined;
  for (let length = path.length; length > 0 && !range; length -= 1) range = rangeOf(path.slice(0, length));
  if (range) reveal(view, range.from, range.to);
}

/** Shows a stretch; the caret goes to its start, unless it is in there. */
export function reveal(view: EditorView, from: number, to: number): void {
  const unfold: StateEffect<unknown>[] = [];
  const { doc, selection } = view.state;
  const line = doc.lineAt(from);
  foldedRanges(view.state).between(line.from, line.to, (start, end) => {
    // A fold that begins behind this line hides none of it.
    if (start < line.from || end <= line.to) unfold.push(unfoldEffect.of({ from: start, to: end }));
  });
  const { head } = selection.main;
  view.dispatch({
    ...(head < from || head > to ? { selection: { anchor: from } } : {}),
    effects: [...unfold, EditorView.scrollIntoView(from, { y: 'nearest', yMargin: 48 })],
    annotations: byPage.of(true),
  });
}

// The relay's own problems at their places; where one change mends it, with a click that makes it.

const problemMarks: Extension = lintGutter();

type Marked = Diagnostic & { readonly problem: ProblemState };

/** Marks these problems of the text that the view has now; until the next ones come, they move with it. */
function markProblems(view: EditorView, problems: readonly ProblemState[]): void {
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
