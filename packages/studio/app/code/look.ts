/** Colours and sizes of the editor: the page's own variables, which shadow roots inherit. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { Decoration, EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const colours = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: 'var(--key)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--string)' },
  { tag: tags.lineComment, color: 'var(--soft)', fontStyle: 'italic' },
  {
    tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace, tags.meta],
    color: 'var(--soft)',
  },
  { tag: [tags.labelName, tags.typeName, tags.keyword], color: 'var(--quiet)' },
]);

const insertion = new MatchDecorator({
  regexp: /\{\{(?:[^}]|\}(?!\}))*\}\}/g,
  decoration: Decoration.mark({ class: 'cm-insertion' }),
});

/** `{{ … }}`, in whatever text they stand. */
const insertions = ViewPlugin.define(
  (view) => ({
    decorations: insertion.createDeco(view),
    update(update: ViewUpdate) {
      this.decorations = insertion.updateDeco(update, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

/** Line by line: what goes on below a long line is indented like it, and a step further. */
const hanging = new MatchDecorator({
  regexp: /^(?: |- )+/gm,
  decorate: (add, from, _, [indent]) =>
    add(from, from, Decoration.line({ class: `cm-hang-${Math.min(mostHung, indent.length + 2)}` })),
});
const mostHung = 24;

const hangs = ViewPlugin.define(
  (view) => ({
    decorations: hanging.createDeco(view),
    update(update: ViewUpdate) {
      this.decorations = hanging.updateDeco(update, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

const hung = EditorView.theme({
  '.cm-line': { paddingLeft: 'calc(2ch + 0.375rem)', textIndent: '-2ch' },
  ...Object.fromEntries(
    Array.from({ length: mostHung - 1 }, (_, index) => [
      `.cm-line.cm-hang-${index + 2}`,
      { paddingLeft: `calc(${index + 2}ch + 0.375rem)`, textIndent: `-${index + 2}ch` },
    ]),
  ),
});

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--card)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--text)' },
  '::selection': { backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-shown': { backgroundColor: 'var(--accent-back)', boxShadow: 'inset 3px 0 var(--accent)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--soft)', border: 'none' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 0.25rem 0 0.375rem', minWidth: '1.75rem' },
  '.cm-foldGutter .cm-gutterElement': { width: '1rem', cursor: 'pointer', textAlign: 'center' },
  '.cm-foldPlaceholder': {
    padding: '0 0.375rem',
    border: '1px solid var(--line)',
    borderRadius: '0.25rem',
    backgroundColor: 'var(--sunk)',
    color: 'var(--soft)',
  },
  '.cm-insertion, .cm-insertion *': { color: 'var(--quiet)' },
  '.cm-insertion': { backgroundColor: 'var(--quiet-back)', borderRadius: '0.1875rem' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid var(--strong-line)',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-back)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-back)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-back)', outlineColor: 'var(--accent)' },
  '&.cm-uncoloured .cm-line *': { color: 'inherit', fontStyle: 'inherit', textDecoration: 'inherit' },
  '.cm-placeholder': { color: 'var(--soft)' },
});

const panels = EditorView.theme({
  '.cm-panels': { backgroundColor: 'var(--sunk)', color: 'var(--text)', fontFamily: 'system-ui, sans-serif' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '0.5rem 2rem 0.5rem 0.5rem', fontSize: '0.8125rem' },
  '.cm-panel.cm-search label': {
    fontSize: 'inherit',
    display: 'inline-flex',
    alignItems: 'center',
    minHeight: '24px',
  },
  '.cm-panel.cm-search input[type=checkbox]': { width: '1rem', height: '1rem' },
  '.cm-textfield': {
    minHeight: '1.75rem',
    fontSize: '0.8125rem',
    color: 'var(--text)',
    backgroundColor: 'var(--card)',
    border: '1px solid var(--strong-line)',
    borderRadius: '0.25rem',
  },
  '.cm-button, .cm-panel.cm-search [name=close]': {
    minHeight: '1.75rem',
    minWidth: '1.75rem',
    fontSize: '0.8125rem',
    color: 'var(--text)',
    backgroundColor: 'var(--card)',
    backgroundImage: 'none',
    border: '1px solid var(--strong-line)',
    borderRadius: '0.25rem',
    cursor: 'pointer',
  },
  '.cm-button:active': { backgroundImage: 'none', backgroundColor: 'var(--accent-back)' },
  '.cm-panels :focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
});

const tooltips = EditorView.theme({
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--card)',
    border: '1px solid var(--line)',
    borderRadius: '0.375rem',
    boxShadow: '0 0.25rem 1rem rgb(0 0 0 / 0.16)',
    fontSize: '0.8125rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    gap: '0.75rem',
    minHeight: '24px',
    padding: '0.125rem 0.5rem',
    lineHeight: '1.25rem',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--text)',
    backgroundColor: 'var(--accent-back)',
    boxShadow: 'inset 3px 0 var(--accent)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700', color: 'var(--accent)' },
  '.cm-completionDetail': {
    margin: '0 0 0 auto',
    fontStyle: 'normal',
    fontFamily: 'system-ui, sans-serif',
    color: 'var(--soft)',
  },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '20rem', padding: '0.5rem 0.75rem' },
  '.cm-docs': { maxWidth: '24rem', padding: '0.5rem 0.75rem', fontFamily: 'system-ui, sans-serif' },
  '.cm-docs p': { margin: '0' },
  '.cm-docs code, .cm-completionInfo code': { fontFamily: 'var(--mono)', fontSize: '0.75rem' },
  '.cm-docs .kind': { color: 'var(--soft)' },
  '.cm-docs .error': { color: 'var(--bad)' },
  '.cm-docs .warning': { color: 'var(--warn)' },
  '.cm-completionInfo': { fontFamily: 'system-ui, sans-serif' },
});

/** Without the pictures of the library, which `img-src` would have to let in. */
const lint = EditorView.theme({
  '.cm-lintRange': { backgroundImage: 'none !important' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '0.1875rem' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--warn)', textUnderlineOffset: '0.1875rem' },
  '.cm-lintRange-active': { backgroundColor: 'var(--bad-back)' },
  '.cm-gutter-lint': { width: '0.875rem' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 0.125rem' },
  '.cm-lint-marker': { width: '0.625rem', height: '0.625rem', margin: '0.3125rem 0 0' },
  '.cm-lint-marker-error': {
    content: 'normal !important',
    borderRadius: '50%',
    backgroundColor: 'var(--bad)',
  },
  '.cm-lint-marker-warning': {
    content: 'normal !important',
    clipPath: 'polygon(50% 0, 100% 100%, 0 100%)',
    backgroundColor: 'var(--warn)',
  },
  '.cm-diagnostic': {
    padding: '0.5rem 0.75rem',
    borderLeft: 'none',
    fontFamily: 'system-ui, sans-serif',
    maxWidth: '24rem',
  },
  '.cm-diagnostic-error': { boxShadow: 'inset 3px 0 var(--bad)' },
  '.cm-diagnostic-warning': { boxShadow: 'inset 3px 0 var(--warn)' },
  '.cm-diagnosticAction': {
    display: 'block',
    minHeight: '24px',
    margin: '0.375rem 0 0',
    padding: '0.125rem 0.625rem',
    color: 'var(--accent)',
    backgroundColor: 'var(--card)',
    border: '1px solid var(--strong-line)',
    borderRadius: '0.25rem',
    font: 'inherit',
    cursor: 'pointer',
  },
});

export const look: Extension = [
  theme,
  hung,
  hangs,
  panels,
  tooltips,
  lint,
  syntaxHighlighting(colours),
  insertions,
];
