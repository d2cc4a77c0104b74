/** Completion, and documentation on hover. */
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
import { freeName } from '../../edit/form_edits.ts';
import type { Json, Path } from '../../edit/model.ts';
import { readConfig } from '../../edit/read.ts';
import { loadPalette, palette } from '../build/fields/palette.tsx';
import { gallery, loadGallery } from '../build/outputs/gallery.tsx';
import { outputsFor, titleOf } from '../build/outputs/recipes.ts';
import { elementOf, Prose } from '../prose.tsx';
import { choicesAt, fieldsIn, keysAt, loadSchema } from '../schema_nodes.ts';
import { written } from '../store.ts';
import { completionsAt, kindOfKey, type Option, type Sample } from './completions.ts';
import { placeAt } from './place.ts';

let lastReadable: Json | undefined;
effect(() => {
  lastReadable = written.value.value ?? lastReadable;
});

/** The config without the word being typed, which is seldom valid YAML. */
function valueAround(text: string, offset: number): Json | undefined {
  const { at, key, from, to } = placeAt(text, offset);
  const isBeginning = key === undefined && at !== 'value';
  return (isBeginning && readConfig(text.slice(0, from) + text.slice(to)).value) || lastReadable;
}

/** Fields and outputs that the builder adds with a click, which load immediately. */
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

/** Lists the completions that the manual allows here. */
async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  await Promise.all([loadSchema(), loadPalette(), loadGallery()]);
  const { pos, explicit } = context;
  const text = context.state.doc.toString();
  const found = !context.aborted && completionsAt(text, pos, valueAround(text, pos), samplesAt);
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

/** Once the typed word is a complete option, Enter starts a new line. */
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
  ...(info !== '' && { info: () => elementOf(<Prose text={info} />) }),
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

/** Shows the manual's description on hover. Problems have a box of their own, with their fix. */
const hover = hoverTooltip(
  async (view, offset) => {
    await loadSchema();
    const text = view.state.doc.toString();
    const docs = docsAt(text, offset, valueAround(text, offset));
    return docs ? { pos: docs.from, end: docs.to, above: true, create: () => ({ dom: boxOf(docs) }) } : null;
  },
  { hideOnChange: true },
);

const boxOf = ({ title, detail, text }: Docs) =>
  elementOf(
    <>
      <p>
        <code>{title}</code> <span class="kind">{detail}</span>
      </p>
      <p>
        <Prose text={text} />
      </p>
    </>,
    'div',
    'cm-docs',
  );

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

function docsAt(text: string, offset: number, value: Json | undefined): Docs | undefined {
  const { at, path, key, from, to, text: word } = placeAt(text, offset);
  if (offset < from || offset > to) return undefined;
  if (at === 'key' && key !== undefined) {
    const known = keysAt(path, value).find(({ name }) => name === key);
    return known && { title: key, detail: kindOfKey(known), text: known.description, from, to };
  }
  if (at !== 'value' && at !== 'item') return undefined;
  const field = fieldsIn(path, value).find(
    ({ name }) =>
      name === word &&
      /^(?:mapping|field|to|\$field)$/.test(String(path.at(-2) === 'mapping' ? 'mapping' : path.at(-1))),
  );
  if (field) return { title: word, detail: `field, ${field.type}`, text: field.label, from, to };
  const choice = choicesAt(path, value).find((one) => String(one.value) === word);
  return choice?.description
    ? { title: word, detail: String(path.at(-1)), text: choice.description, from, to }
    : undefined;
}
