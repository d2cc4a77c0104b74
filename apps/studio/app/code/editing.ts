/** Keys, indentation and folding, as YAML wants them. */
import {
  acceptCompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentService,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { nextDiagnostic, previousDiagnostic } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { Annotation, type EditorState, type Extension, EditorState as State } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import style from './editor.css?inline';

const step = 2;

/** Behind `key:` begins a block, which the grammar does not see before something stands in it. */
const behindKey = indentService.of((context, pos) => {
  const { text } = context.lineAt(pos, -1);
  const [, before] = /^(\s*(?:- +)*)(?:"[^"]*"|'[^']*'|[^\s#"'{[][^#{[]*?):\s*(?:#.*)?$/.exec(text) ?? [];
  return before === undefined ? undefined : before.length + step;
});

/** Inserts spaces up to the next step, or indents the lines that are selected. */
function tab(view: EditorView): boolean {
  const { state } = view;
  const { main } = state.selection;
  if (state.readOnly) return false;
  if (state.doc.lineAt(main.from).number !== state.doc.lineAt(main.to).number) return indentMore(view);
  const column = main.from - state.doc.lineAt(main.from).from;
  view.dispatch(state.replaceSelection(' '.repeat(step - (column % step))), { userEvent: 'input.indent' });
  return true;
}

/** The title of a form that is folded, or else how many lines are. */
function foldedAs(state: EditorState, { from, to }: { readonly from: number; readonly to: number }): string {
  const indent = state.doc.lineAt(from).text.search(/\S/);
  const title = new RegExp(`\\n {${indent + 1},${indent + 4}}title: *(\\S.*)`).exec(
    state.sliceDoc(from, to),
  )?.[1];
  const count = state.doc.lineAt(to).number - state.doc.lineAt(from).number;
  return title ?? `${count} line${count === 1 ? '' : 's'}`;
}

const folding: Extension = [
  codeFolding({
    preparePlaceholder: foldedAs,
    placeholderDOM: (_, onclick, says: string) => {
      const one = document.createElement('span');
      one.className = 'cm-foldPlaceholder';
      one.textContent = `… ${says}`;
      one.title = 'Unfold';
      one.onclick = onclick;
      return one;
    },
  }),
  foldGutter(),
];

/** Chromium gives replaced text a `style`, which the page's CSP forbids: so it has no colour until then. */
const uncoloured = EditorView.domEventHandlers({
  beforeinput: (_, { dom }) => {
    dom.classList.add('cm-uncoloured');
    requestAnimationFrame(() => dom.classList.remove('cm-uncoloured'));
  },
});

/** The words of the search panel, as the page writes its buttons. */
const words = State.phrases.of({
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
});

/** It belongs to the step of undo before it, wherever it stands. */
export const goesOn = Annotation.define<boolean>();

export const editing: Extension = [
  words,
  yaml(),
  State.languageData.of(() => [{ closeBrackets: { brackets: ['[', '{', '"'] } }]),
  behindKey,
  indentUnit.of(' '.repeat(step)),
  State.tabSize.of(step),
  indentOnInput(),
  history({
    joinToEvent: (transaction, isAdjacent) => isAdjacent || transaction.annotation(goesOn) === true,
  }),
  lineNumbers(),
  folding,
  highlightSpecialChars(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  bracketMatching(),
  closeBrackets(),
  uncoloured,
  search({ top: true }),
  EditorView.lineWrapping,
  keymap.of([
    { key: 'Tab', run: acceptCompletion },
    { key: 'Tab', run: tab, shift: indentLess },
    { key: 'F8', run: nextDiagnostic, shift: previousDiagnostic, preventDefault: true },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...defaultKeymap,
  ]),
];

/** Marks whatever matches. */
const decorated = (matches: MatchDecorator) =>
  ViewPlugin.define(
    (view) => ({
      decorations: matches.createDeco(view),
      update(update) {
        this.decorations = matches.updateDeco(update, this.decorations);
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  );

/** `{{ … }}`, in whatever text they stand. */
const insertion = new MatchDecorator({
  regexp: /\{\{(?:[^}]|\}(?!\}))*\}\}/g,
  decoration: Decoration.mark({ class: 'cm-insertion' }),
});

/** Columns that a long line hangs below its start, at most. */
const mostHung = 24;
const hanging = new MatchDecorator({
  regexp: /^(?: |- )+/gm,
  decorate: (add, from, _, [indent]) => {
    const style = `--hang: ${Math.min(mostHung, indent.length + 2)}ch`;
    add(from, from, Decoration.line({ attributes: { style } }));
  },
});

export const look: Extension = [
  decorated(hanging),
  decorated(insertion),
  syntaxHighlighting(classHighlighter),
];

/** Styles an editor in this root. CodeMirror puts its own sheets before this one. */
export function styleIn(root: ShadowRoot): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
}
