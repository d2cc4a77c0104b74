/** How the editor looks: editor.css, and the classes that it needs. */
import { syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { Decoration, MatchDecorator, ViewPlugin } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import style from './editor.css?inline';

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
