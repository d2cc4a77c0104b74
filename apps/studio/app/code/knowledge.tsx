/** Completion, and the manual at the pointer. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { freeName } from '../../edit/form_edits.ts';
import type { Json, Path } from '../../edit/model.ts';
import { readConfig } from '../../edit/read.ts';
import { loadPalette, palette } from '../build/fields/palette.tsx';
import { gallery, loadGallery } from '../build/outputs/gallery.tsx';
import { outputsFor, titleOf } from '../build/outputs/recipes.ts';
import { manualText, Prose } from '../prose.tsx';
import { loadSchema, schema } from '../relay.ts';
import { choicesIn, fieldsIn, keysIn, type SchemaNode } from '../schema_nodes.ts';
import { written } from '../store.ts';
import { completionsAt, kindOfKey, type Option, type Sample } from './completions.ts';
import { placeAt } from './place.ts';

let lastReadable: Json | undefined;
effect(() => {
  lastReadable = written.value.value ?? lastReadable;
});

/** The config without the word that is being typed, which is seldom YAML. */
function valueAround(text: string, offset: number): Json | undefined {
  const { at, key, from, to } = placeAt(text, offset);
  const isBeginning = key === undefined && at !== 'value';
  return (isBeginning && readConfig(text.slice(0, from) + text.slice(to)).value) || lastReadable;
}

/** The fields and outputs that a click in the builder adds, which load at once. */
function samplesAt(path: Path, value: Json | undefined): readonly Sample[] {
  const fields = fieldsIn(path, value);
  if (path.length !== 4 || path[0] !== 'forms') return [];
  if (path[2] === 'outputs')
    return (gallery.value ?? []).flatMap((recipe) =>
      outputsFor(recipe, fields)
        .slice(0, 1)
        .map((one) => ({ label: titleOf(recipe), info: recipe.summary ?? '', value: one })),
    );
  if (path[2] !== 'fields') return [];
  const names = fields.map(({ name }) => name);
  return (palette.value?.parts ?? []).flatMap(({ title, says, value: part }) => {
    if (part === undefined) return [];
    const name = part.name === undefined ? {} : { name: freeName(String(part.name), names) };
    return [{ label: title, info: says, value: { ...name, ...part, ...name } as Json }];
  });
}

/** Lists what the manual says is possible here. */
async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  await Promise.all([loadSchema(), loadPalette(), loadGallery()]);
  const known = schema.value;
  const { pos, explicit } = context;
  const text = context.state.doc.toString();
  const found =
    known && !context.aborted && completionsAt(text, pos, known, valueAround(text, pos), samplesAt);
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

/** The manual's text at the pointer. A problem has a box of its own, with its fix. */
const hover = hoverTooltip(
  async (view, offset) => {
    await loadSchema();
    const known = schema.value;
    const text = view.state.doc.toString();
    const docs = known && docsAt(text, offset, known, valueAround(text, offset));
    return docs ? { pos: docs.from, end: docs.to, above: true, create: () => boxOf(docs) } : null;
  },
  { hideOnChange: true },
);

function boxOf({ title, detail, text }: Docs) {
  const dom = document.createElement('div');
  dom.className = 'cm-docs';
  render(
    <>
      <p>
        <code>{title}</code> <span class="kind">{detail}</span>
      </p>
      <p>
        <Prose text={text} />
      </p>
    </>,
    dom,
  );
  return { dom };
}

export const knowledge: Extension = [
  autocompletion({
    override: [complete],
    icons: false,
    activateOnCompletion: (completion) => (completion as Chosen).goesOn,
  }),
  hover,
];

interface Docs {
  readonly title: string;
  readonly detail: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

function docsAt(text: string, offset: number, root: SchemaNode, value: Json | undefined): Docs | undefined {
  const { at, path, key, from, to, text: word } = placeAt(text, offset);
  if (offset < from || offset > to) return undefined;
  if (at === 'key' && key !== undefined) {
    const known = keysIn(root, path, value).find(({ name }) => name === key);
    return known && { title: key, detail: kindOfKey(known), text: known.description, from, to };
  }
  if (at !== 'value' && at !== 'item') return undefined;
  const field = fieldsIn(path, value).find(
    ({ name }) =>
      name === word &&
      /^(?:mapping|field|to|\$field)$/.test(String(path.at(-2) === 'mapping' ? 'mapping' : path.at(-1))),
  );
  if (field) return { title: word, detail: `field, ${field.type}`, text: field.label, from, to };
  const choice = choicesIn(root, path, value).find((one) => String(one.value) === word);
  return choice && choice.description !== ''
    ? { title: word, detail: String(path.at(-1)), text: choice.description, from, to }
    : undefined;
}
