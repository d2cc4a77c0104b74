/** Completion, and the manual at the pointer or the caret. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
  pickedCompletion,
} from '@codemirror/autocomplete';
import { forEachDiagnostic } from '@codemirror/lint';
import { type EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state';
import { type EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from '@codemirror/view';
import { render } from 'preact';
import type { Json } from '../../edit/index.ts';
import { manualText, Prose } from '../prose.tsx';
import { keysIn, nodeIn } from '../schema_nodes.ts';
import {
  bracesAt,
  completionsAt,
  fieldsOf,
  kindOfKey,
  type Language,
  type Option,
  signatureOf,
} from './completions.ts';
import { language, loadLanguage, valueAround } from './language.ts';
import { placeAt } from './place.ts';

/** Lists what the manual says is possible here. */
async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  await loadLanguage();
  const known = language();
  const { pos, explicit } = context;
  const text = context.state.doc.toString();
  const found = known && !context.aborted && completionsAt(text, pos, known, valueAround(text, pos));
  if (!found) return null;
  const { from, to, options, validFor, isEager } = found;
  const word = text.slice(from, pos);
  if (!explicit && ((word === '' && !isEager) || isWhole(word, options))) return null;
  return {
    from,
    to,
    options: options.map(completionOf),
    validFor: (typed) => validFor.test(typed) && !isWhole(typed, options),
  };
}

/** Enter is a new line again once an option stands there. */
const isWhole = (word: string, options: readonly Option[]) =>
  word !== '' &&
  options.some(({ label }) => label === word) &&
  !options.some(({ label }) => label !== word && label.startsWith(word));

type Chosen = Completion & { readonly goesOn: boolean };

const completionOf = ({ label, detail, info, type, insert, goesOn }: Option, index: number): Chosen => ({
  label,
  detail,
  type,
  goesOn,
  boost: -Math.min(index, 90) / 2,
  ...(info !== '' && {
    info: () => manualText(info),
  }),
  apply: (view, completion, from, to) => {
    const caret = insert.lastIndexOf('|');
    view.dispatch({
      changes: { from, to, insert: insert.slice(0, caret) + insert.slice(caret + 1) },
      selection: { anchor: from + caret },
      scrollIntoView: true,
      userEvent: 'input.complete',
      annotations: pickedCompletion.of(completion),
    });
  },
});

/** The problems and the manual's text at `offset`; `undefined` where there is neither. */
function boxAt(state: EditorState, offset: number, withProblems: boolean): Tooltip | undefined {
  const known = language();
  const text = state.doc.toString();
  const docs = known && docsAt(text, offset, known, valueAround(text, offset));
  const problems: { readonly message: string; readonly severity: string }[] = [];
  if (withProblems) {
    forEachDiagnostic(state, (one, from, to) => {
      if (from <= offset && offset <= to) problems.push(one);
    });
  }
  if (!docs && problems.length === 0) return undefined;
  const create = () => {
    const dom = document.createElement('div');
    dom.className = 'cm-docs';
    render(
      <>
        {problems.map(({ message, severity }) => (
          <p key={message} class={severity}>
            <Prose text={message} />
          </p>
        ))}
        {docs && (
          <>
            <p>
              <code>{docs.title}</code> <span class="kind">{docs.detail}</span>
            </p>
            <p>
              <Prose text={docs.text} />
            </p>
          </>
        )}
      </>,
      dom,
    );
    return { dom };
  };
  return { pos: docs?.from ?? offset, end: docs?.to ?? offset, above: true, create };
}

const hover = hoverTooltip(
  async (view, offset) => {
    await loadLanguage();
    // The problem itself has a box of its own, with its fix.
    return boxAt(view.state, offset, false) ?? null;
  },
  { hideOnChange: true },
);

const asked = StateEffect.define<boolean>();
/** The box that the keyboard asked for; it goes with the next key or click. */
const askedBox = StateField.define<Tooltip | null>({
  create: () => null,
  update(box, { state, effects, docChanged, selection }) {
    for (const effect of effects) {
      if (effect.is(asked))
        return effect.value ? (boxAt(state, state.selection.main.head, true) ?? null) : null;
    }
    return docChanged || selection ? null : box;
  },
  provide: (field) => showTooltip.from(field),
});

const explainHere = (onSay: (words: string) => void) => (view: EditorView) => {
  closeCompletion(view);
  void loadLanguage().then(() => {
    view.dispatch({ effects: asked.of(true) });
    const dom = view.state.field(askedBox)?.create(view).dom;
    onSay(
      dom ? [...dom.children].map((one) => one.textContent).join(' ') : 'The manual says nothing about this.',
    );
  });
  return true;
};

const hideBox = (view: EditorView) => {
  if (!view.state.field(askedBox)) return false;
  view.dispatch({ effects: asked.of(false) });
  return true;
};

/** `onSay` tells screen readers what the keyboard asked for. */
export const knowledge = (onSay: (words: string) => void): Extension => [
  autocompletion({
    override: [complete],
    icons: false,
    activateOnCompletion: (completion) => (completion as Chosen).goesOn,
  }),
  hover,
  askedBox,
  Prec.highest(
    keymap.of([
      { key: 'F1', run: explainHere(onSay), preventDefault: true },
      { key: 'Mod-i', run: explainHere(onSay), preventDefault: true },
      { key: 'Escape', run: hideBox },
    ]),
  ),
];

export interface Docs {
  readonly title: string;
  readonly detail: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export function docsAt(
  text: string,
  offset: number,
  { schema, words }: Language,
  value: Json | undefined,
): Docs | undefined {
  const { at, path, key, from, to, text: word } = placeAt(text, offset);
  if (offset < from || offset > to) return undefined;
  if (at === 'key' && key !== undefined) {
    const known = keysIn(schema, path, value).find(({ name }) => name === key);
    return known && { title: key, detail: kindOfKey(known), text: known.description, from, to };
  }
  if (at !== 'value' && at !== 'item') return undefined;
  if (bracesAt(text, offset) !== undefined) return templateDocs(text, offset, words);
  const field = fieldsOf(path, value).find(
    ({ name }) =>
      name === word &&
      /^(?:mapping|field|to|\$field)$/.test(String(path.at(-2) === 'mapping' ? 'mapping' : path.at(-1))),
  );
  if (field) return { title: word, detail: `field, ${field.type}`, text: field.label, from, to };
  const { enum: values = [], enumDescriptions = [] } = nodeIn(schema, path, value) ?? {};
  const description = enumDescriptions[values.indexOf(word)];
  return description === undefined
    ? undefined
    : { title: word, detail: String(path.at(-1)), text: description, from, to };
}

function templateDocs(text: string, offset: number, words: Language['words']): Docs | undefined {
  const before = /[.\w-]*$/.exec(text.slice(0, offset))?.[0] ?? '';
  const word = before + (/^[\w.-]*/.exec(text.slice(offset))?.[0] ?? '');
  const from = offset - before.length;
  const place = { from, to: from + word.length };
  const called = words.functions.find(({ name }) => name === word);
  if (called) return { title: signatureOf(called), detail: 'function', text: called.summary, ...place };
  const read = words.references.find(({ name }) =>
    name.endsWith('<name>') ? word.startsWith(name.replace('<name>', '')) : name === word,
  );
  return read && { title: word, detail: '', text: read.summary, ...place };
}
