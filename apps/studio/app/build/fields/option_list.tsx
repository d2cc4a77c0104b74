/** A field's options: the labels that visitors read, and the values that are sent. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { freeName, testsIn } from '../../../edit/form_edits.ts';
import { type Action, isMap, type Json, listOf, mapOf, type Path } from '../../../edit/model.ts';
import { ProblemList } from '../../code/problems.tsx';
import { config, settle } from '../../store.ts';
import { TextInput } from '../settings/controls.tsx';
import { change, useDraft } from '../settings/draft.ts';
import { AsText } from '../settings/frame.tsx';
import { emptiest, held, pathText, problemsAt, problemsWithin } from '../settings/places.ts';
import { Tool } from '../settings/rows.tsx';
import { textIn, writeText } from '../texts.ts';
import { formPath, language, languages } from './form_model.ts';
import type { Item } from './plan.ts';

interface Option {
  readonly value: string;
  readonly label: string;
  readonly written: Json;
}

function optionOf(written: Json): Option {
  if (!isMap(written)) return { value: String(written), label: String(written), written };
  const value = String(written.value ?? '');
  return {
    value,
    label: textIn(written.label, language.value) ?? (written.label === undefined ? value : ''),
    written,
  };
}

/** A field with options, in the form or in entries. */
type Chosen = Pick<Item, 'name' | 'type' | 'value'>;

/** The path of an option's `places`, which only fields of the form can have. */
function placesOf(field: Path, { name }: Chosen, value: string): Path | undefined {
  const path = [...formPath.value, 'option_places', name, value];
  return field.length === 4 && held(path) !== undefined ? path : undefined;
}

/** When an option is renamed, conditions and initial values that name it are updated. */
function following(field: Path, item: Chosen, from: string, to: string): readonly Action[] {
  const swap = (path: Path, value: Json | undefined): readonly Action[] => {
    if (Array.isArray(value)) return value.flatMap((one, index) => swap([...path, index], one));
    return value !== undefined && String(value) === from ? [{ do: 'set', path, value: to }] : [];
  };
  const list = field.slice(0, -1);
  const places = placesOf(field, item, from);
  const conditions = listOf(held(list)).flatMap((one, index) =>
    ['visible_when', 'required_when'].flatMap((key) =>
      testsIn(mapOf(one)[key]).map((at) => [...list, index, key, ...at]),
    ),
  );
  return [
    ...swap([...field, 'value'], item.value.value),
    ...(places ? [{ do: 'rename', path: places, key: to } as const] : []),
    ...conditions
      .filter((path) => String(held([...path, 'field'])) === item.name)
      .flatMap((path) => ['is', 'is_not'].flatMap((test) => swap([...path, test], held([...path, test])))),
  ];
}

/** @param field The path of the field. */
export function OptionList({ path: field, item }: { readonly path: Path; readonly item: Chosen }) {
  const path = [...field, 'options'];
  const options = listOf(item.value.options).map(optionOf);
  const [showsValues, setShowsValues] = useState(() => options.some(({ value, label }) => value !== label));
  const list = useRef<HTMLOListElement>(null);
  const next = useRef<{ row: number; selector: string } | undefined>(undefined);
  const id = useId();
  useLayoutEffect(() => {
    const wanted = next.current;
    if (!wanted) return;
    const row = list.current?.children[wanted.row];
    const target = row?.querySelector<HTMLElement>(wanted.selector);
    if (!target) return;
    next.current = undefined;
    target.focus();
    if (target instanceof HTMLInputElement) target.select();
  });
  const why = config.value.whyText(path);
  const focusOn = (row: number, selector = 'input') => {
    next.current = { row, selector };
  };
  const insert = (index: number, labels: readonly string[]) => {
    const taken = options.map(({ value }) => value);
    const actions = labels.map((label, at): Action => {
      const value = freeName(label, taken);
      taken.push(value);
      return { do: 'insert', path, index: index + at, value };
    });
    focusOn(index + labels.length - 1);
    change(actions, labels.length === 1 ? `Added option ${labels[0]}` : `Added ${labels.length} options`);
  };
  const remove = (index: number) => {
    focusOn(Math.max(0, index - 1));
    const { value = '', label } = options[index] ?? {};
    const places = placesOf(field, item, value);
    const actions = [[...path, index], ...(places ? [emptiest(places)] : [])].map(
      (path): Action => ({ do: 'remove', path }),
    );
    change(actions, `Removed option ${label}`);
  };
  const move = (from: number, by: -1 | 1) => {
    const to = from + by;
    if (to < 0 || to >= options.length) return;
    focusOn(to, `[data-part="${by < 0 ? 'up' : 'down'}"]`);
    const words = `Moved option ${options[from]?.label} to ${to + 1} of ${options.length}`;
    change({ do: 'move', path, from, to }, words);
  };
  if (why !== undefined) return <AsText path={path} why={why} />;
  return (
    <fieldset class="b-options" data-path={pathText(path)}>
      <legend class="set-name" id={id}>
        Options
      </legend>
      {showsValues && (
        <p class="b-option b-option-heads" aria-hidden="true">
          <span>Visitors read</span>
          <span>Sent as</span>
        </p>
      )}
      <ol ref={list}>
        {options.map((option, index) => (
          <OptionRow
            key={index}
            {...{ item, option, index, showsValues, path, insert, remove, move }}
            count={options.length}
          />
        ))}
      </ol>
      <ProblemList problems={problemsAt(path)} />
      <p class="b-line">
        <button type="button" class="b-small" onClick={() => insert(options.length, ['New option'])}>
          Add an option
        </button>
        <label class="b-check">
          <input
            type="checkbox"
            checked={showsValues}
            onChange={({ currentTarget }) => setShowsValues(currentTarget.checked)}
          />
          Send a value that differs from the label
        </label>
      </p>
      <p class="set-help">Each line that you paste becomes an option.</p>
    </fieldset>
  );
}

interface RowProps {
  readonly item: Chosen;
  readonly option: Option;
  readonly index: number;
  readonly count: number;
  readonly showsValues: boolean;
  readonly path: Path;
  readonly insert: (index: number, labels: readonly string[]) => void;
  readonly remove: (index: number) => void;
  readonly move: (from: number, by: -1 | 1) => void;
}

function OptionRow(props: RowProps) {
  const { item, option, index, count, showsValues, path, insert, remove, move } = props;
  const { written, value, label } = option;
  const at = [...path, index];
  const name = `option ${label}`;
  const writeLabel = (typed: string) => {
    if (isMap(written)) {
      const action = writeText([...at, 'label'], written.label, language.value, typed, languages.value);
      change(action, `Changed option ${typed || value}`);
    } else if (showsValues) {
      change({ do: 'set', path: at, value: { value, label: typed } }, `Changed option ${typed}`);
    } else if (typed !== '') {
      change(
        [{ do: 'set', path: at, value: typed }, ...following(path.slice(0, -1), item, value, typed)],
        `Changed option ${typed}`,
      );
    }
  };
  const writeValue = (typed: string) => {
    if (typed === '' || typed === value) return;
    const own: Action = isMap(written)
      ? { do: 'set', path: [...at, 'value'], value: typed }
      : { do: 'set', path: at, value: { value: typed, label } };
    change([own, ...following(path.slice(0, -1), item, value, typed)], `Option ${label} sends ${typed}`);
  };
  const shown = useDraft(label, writeLabel);
  const sent = useDraft(value, writeValue);
  const paste = (event: ClipboardEvent) => {
    const lines = (event.clipboardData?.getData('text/plain') ?? '').split('\n');
    const labels = lines.map((line) => line.trim()).filter(Boolean);
    if (labels.length < 2) return;
    event.preventDefault();
    insert(index + 1, labels);
  };
  const press = (event: KeyboardEvent) => {
    // Ignores Enter on the buttons beside the input.
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    settle();
    insert(index + 1, ['New option']);
  };
  const moveTool = (part: 'up' | 'down', by: -1 | 1, end: number) => (
    <Tool
      icon={part}
      part={part}
      name={`Move ${name} ${part}`}
      disabled={index === end}
      onClick={() => move(index, by)}
    />
  );
  return (
    <li class="b-option" onPaste={paste} onKeyDown={press}>
      <TextInput aria-label={`Option ${index + 1}`} draft={shown} hint={value} />
      {showsValues && <TextInput aria-label={`Value of option ${index + 1}`} draft={sent} />}
      {moveTool('up', -1, 0)}
      {moveTool('down', 1, count - 1)}
      <Tool icon="cross" name={`Remove ${name}`} disabled={count === 1} onClick={() => remove(index)} />
      <ProblemList problems={problemsWithin(at)} />
    </li>
  );
}
