/** The text editor, and the page's access to it: the editor owns the config's text. */

import { isolateHistory, redo, undo, undoDepth } from '@codemirror/commands';
import { foldedRanges, unfoldEffect } from '@codemirror/language';
import { type Diagnostic, forEachDiagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import {
  Annotation,
  Compartment,
  EditorState,
  Prec,
  type StateEffect,
  Text,
  Transaction,
} from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { effect, signal, untracked } from '@preact/signals';
import { type Change, type Path, valueAt } from '../../edit/model.ts';
import type { Fix, ProblemState } from '../../src/state.ts';
import { built, pending, propose, proposeInText, setText, useHistory } from '../pending.ts';
import { elementOf, Prose } from '../prose.tsx';
import { showOutputs } from '../shell/address.ts';
import {
  act,
  changeText,
  type Editor,
  editor,
  isEmpty,
  notice,
  selected,
  state,
  text,
  written,
} from '../store.ts';
import { editing, goesOn, look, styleIn } from './editing.ts';
import { knowledge } from './knowledge.tsx';

/** `undefined` while no editor is mounted. */
export const shownView = signal<EditorView | undefined>(undefined);

/** Marks cursor moves by the page, which do not mean that the person selected something else. */
const byPage = Annotation.define<boolean>();

const howTo = 'Tab indents. Press Escape, then Tab, to leave the editor. F8 goes to the next problem.';

/** Opens an editor in this root until the returned function is called. Mod-s saves. */
export function openCodeView(root: ShadowRoot, onSave: () => void): () => void {
  const hint = document.createElement('p');
  root.replaceChildren(Object.assign(hint, { id: 'hint', hidden: true, textContent: howTo }));
  const writable = new Compartment();
  /** The last change by the builder, unless something was typed or undone since. */
  let latest: { readonly step: object | undefined; readonly at: number } | undefined;
  const follow = EditorView.updateListener.of(({ changes, docChanged, selectionSet, transactions }) => {
    if (docChanged) {
      latest = undefined;
      setText(view.state.doc.toString(), changes);
    }
    const isOwners = view.hasFocus && !transactions.some((one) => one.annotation(byPage));
    if ((docChanged || selectionSet) && isOwners) enter(view);
  });

  const save = () => {
    onSave();
    return true;
  };
  styleIn(root);
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text.value,
      extensions: [
        Prec.highest(keymap.of([{ key: 'Mod-s', preventDefault: true, run: save }])),
        lintGutter(),
        editing,
        knowledge,
        look,
        follow,
        writable.of([]),
        // Without this, axe reports a scrollable area that the keyboard cannot reach.
        EditorView.contentAttributes.of({
          'aria-label': 'Config',
          'aria-describedby': hint.id,
          tabindex: '0',
        }),
      ],
    }),
  });

  const made: Editor = {
    apply: (changes, step) => {
      if (view.state.readOnly) {
        notice.value = state.value?.file.locked ?? 'This text cannot be changed here.';
        return;
      }
      const isMore = step !== undefined && latest?.step === step;
      // The history merges only changes within the same half second.
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
    // The first text, or another config, cannot be undone.
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
      // Problems of an older text are out of date. An empty file is a start, not a mistake.
      if (problems && file?.text === view.state.doc.toString())
        markProblems(view, isEmpty.value ? [] : problems);
    }),
    effect(() => {
      const path = selected.value;
      if (path && path !== entered) untracked(() => show(view, path));
    }),
  ];
  shownView.value = view;
  editor.value = made;
  useHistory(made);
  return () => {
    editor.value = undefined;
    useHistory(undefined);
    for (const stop of effects) stop();
    shownView.value = undefined;
    view.destroy();
  };
}

/** The path selected by the cursor, which the editor already shows. */
let entered: Path | undefined;
let entering: ReturnType<typeof setTimeout> | undefined;

/** Selects the field, output or form around the cursor when the cursor rests. */
function enter(view: EditorView): void {
  clearTimeout(entering);
  entering = setTimeout(() => {
    // If focus has left the editor, changing the selection would close open settings and lose typing.
    if (!view.hasFocus) return;
    const owner = ownerAt(view.state.selection.main.head);
    if (!owner) return;
    const isItem = owner.length > 2;
    const now = selected.peek();
    const isWithin = now && now.length >= owner.length && owner.every((one, index) => now[index] === one);
    const isOfList = now && /^(?:fields|outputs)$/.test(String(now[2]));
    // Keeps the form's open settings open.
    if (isWithin && (isItem || !isOfList)) return;
    entered = owner;
    selected.value = owner;
  }, 100);
}

/** The field or output around an offset, else its form. */
function ownerAt(offset: number): Path | undefined {
  const { value, rangeOf } = written.value;
  const isIn = (path: Path) => {
    const range = rangeOf(path);
    return range && range.from <= offset && offset <= range.to;
  };
  const below = (path: Path) => Object.keys(valueAt(value, path) ?? {});
  const form = below(['forms'])
    .map((id): Path => ['forms', id])
    .find(isIn);
  const items = ['fields', 'outputs'].flatMap((list) =>
    form ? below([...form, list]).map((nth): Path => [...form, list, Number(nth)]) : [],
  );
  return items.find(isIn) ?? form;
}
/** A path that is not in the text yet: shown again when more of it exists. */
let sought: Path | undefined;

/** Reveals the nearest existing part of the path, unfolds it, and puts the cursor there. */
function show(view: EditorView, path: Path): void {
  const { rangeOf, text: read } = written.peek();
  // The latest text has not been parsed yet.
  if (read !== view.state.doc.toString()) return;
  sought = rangeOf(path) ? undefined : path;
  const range = path.map((_, nth) => rangeOf(path.slice(0, nth + 1))).findLast(Boolean);
  if (range) reveal(view, range.from, range.to);
}

/** Reveals a range; moves the cursor to its start, unless the cursor is already inside. */
export function reveal(view: EditorView, from: number, to: number): void {
  const unfold: StateEffect<unknown>[] = [];
  const { doc, selection } = view.state;
  const line = doc.lineAt(from);
  foldedRanges(view.state).between(line.from, line.to, (start, end) => {
    // A fold that starts after this line hides nothing of it.
    if (start < line.from || end <= line.to) unfold.push(unfoldEffect.of({ from: start, to: end }));
  });
  const { head } = selection.main;
  view.dispatch({
    ...(head < from || head > to ? { selection: { anchor: from } } : {}),
    effects: [...unfold, EditorView.scrollIntoView(from, { y: 'nearest', yMargin: 48 })],
    annotations: byPage.of(true),
  });
}

// The relay's problems at their places; a click applies a fix if there is exactly one.

type Marked = Diagnostic & { readonly problem: ProblemState };

/** Marks problems of the current text. The marks move with edits until new problems arrive. */
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
    renderMessage: () => elementOf(<Prose text={message} />),
    ...(fix && { actions: [{ name: fix.name, apply: (_, from, to) => write(from, to, fix) }] }),
  };
}

function write(from: number, to: number, fix: Fix, make = proposeInText): void {
  const { name, text, outputsOf, actions = [] } = fix;
  if (outputsOf !== undefined) return void showOutputs(outputsOf);
  if (text === undefined) act(actions, name);
  else changeText([{ from, to, insert: text }], `Changed to ${text}.`, make);
}

/** A problem's current place; `undefined` if its text was removed. */
export function placeOf(state: EditorState, problem: ProblemState) {
  let place: { readonly from: number; readonly to: number } | undefined;
  forEachDiagnostic(state, (one, from, to) => {
    if ((one as Marked).problem === problem) place = { from, to };
  });
  return place;
}

/** Applies the fix of a problem in the text or in pending changes. */
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
