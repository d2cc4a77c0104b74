/** Keyboard, indentation and folding for YAML. */
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
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentService,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { nextDiagnostic, previousDiagnostic } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState, type Extension } from '@codemirror/state';
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

/** A block starts after `key:`, but the grammar does not see it until it has content. */
const behindKey = indentService.of((context, pos) => {
  const { text } = context.lineAt(pos, -1);
  const [, before] = /^(\s*(?:- +)*)(?:"[^"]*"|'[^']*'|[^\s#"'{[][^#{[]*?):\s*(?:#.*)?$/.exec(text) ?? [];
  return before === undefined ? undefined : before.length + step;
});

/** Inserts spaces to the next tab stop, or indents the selected lines. */
function tab(view: EditorView): boolean {
  const { state } = view;
  const { main } = state.selection;
  if (state.readOnly) return false;
  if (state.doc.lineAt(main.from).number !== state.doc.lineAt(main.to).number) return indentMore(view);
  const column = main.from - state.doc.lineAt(main.from).from;
  view.dispatch(state.replaceSelection(' '.repeat(step - (column % step))), { userEvent: 'input.indent' });
  return true;
}

/**
 * Chromium gives replaced text a `style` attribute, which the page's CSP forbids. So the text loses its
 * colours until the next frame.
 */
const uncoloured = EditorView.domEventHandlers({
  beforeinput: (_, { dom }) => {
    dom.classList.add('cm-uncoloured');
    requestAnimationFrame(() => dom.classList.remove('cm-uncoloured'));
  },
});

/** Marks a change as part of the previous undo step, wherever the change is. */
export const goesOn = Annotation.define<boolean>();

export const editing: Extension = [
  yaml(),
  EditorState.languageData.of(() => [{ closeBrackets: { brackets: ['[', '{', '"'] } }]),
  behindKey,
  indentUnit.of(' '.repeat(step)),
  EditorState.tabSize.of(step),
  indentOnInput(),
  history({
    joinToEvent: (transaction, isAdjacent) => isAdjacent || transaction.annotation(goesOn) === true,
  }),
  lineNumbers(),
  foldGutter(),
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

/** Highlights `{{ … }}` in any text. */
const insertion = new MatchDecorator({
  regexp: /\{\{(?:[^}]|\}(?!\}))*\}\}/g,
  decoration: Decoration.mark({ class: 'cm-insertion' }),
});

export const look: Extension = [
  ViewPlugin.define(
    (view) => ({
      decorations: insertion.createDeco(view),
      update(update) {
        this.decorations = insertion.updateDeco(update, this.decorations);
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  ),
  syntaxHighlighting(classHighlighter),
];

/** Applies the editor's styles to this root, after CodeMirror's own. */
export function styleIn(root: ShadowRoot): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
}
