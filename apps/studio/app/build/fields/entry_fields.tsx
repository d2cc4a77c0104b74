/** The fields of each entry of a field that repeats. */
import { useState } from 'preact/hooks';
import { freeName, isTakenInEntries } from '../../../edit/form_edits.ts';
import type { Action, Json } from '../../../edit/index.ts';
import { ProblemList } from '../../problem.tsx';
import { isMap } from '../../schema_nodes.ts';
import { act, config } from '../../store.ts';
import {
  AsText,
  BooleanControl,
  change,
  Entry,
  focusWithin,
  pathText,
  problemsAt,
  Settings,
} from '../settings/index.ts';
import { textIn, writeText } from '../texts.ts';
import { formPath, language } from './form_model.ts';
import { labelFrom, nameFrom } from './names.ts';
import { OptionList } from './option_list.tsx';
import { takesOptions } from './picture.tsx';
import type { Item } from './plan.ts';
import { TextEdit } from './text_edit.tsx';
import { TypeSelect } from './type_select.tsx';
import { labelsFor } from './types.ts';

/** Types that no entry can have. */
const alone = ['file', 'hidden', 'consent', 'address', 'matrix', 'repeat'];
const inPlace = ['name', 'label', 'type', 'required', 'visible_when', 'options'];

type Written = { readonly [key: string]: Json };

export function EntryFields({ item }: { readonly item: Item }) {
  const path = [...formPath.value, 'fields', item.index, 'fields'];
  const fields: readonly Json[] = Array.isArray(item.value.fields) ? item.value.fields : [];
  const names = fields.map((field) => (isMap(field) ? String(field.name ?? '') : ''));
  /** The field that was just added: its name follows its label until it is edited by hand. */
  const [fresh, setFresh] = useState<string>();
  const why = config.value.whyText(path);
  if (why !== undefined) return <AsText path={path} why={why} />;
  const add = () => {
    const name = freeName('field', names);
    if (!change({ do: 'insert', path, index: fields.length, value: { name } }, `Added ${name}`)) return;
    setFresh(name);
    focusWithin([...path, fields.length, 'label']);
  };
  return (
    <fieldset class="b-entry" data-path={pathText(path)}>
      <legend class="set-name">Fields of each entry</legend>
      {fields.map((field, index) =>
        isMap(field) ? (
          <EntryField
            key={index}
            {...{ item, index, names }}
            written={field}
            isFresh={fresh === names[index]}
            onName={setFresh}
          />
        ) : (
          <AsText key={index} path={[...path, index]} />
        ),
      )}
      <ProblemList problems={problemsAt(path)} />
      <p class="b-line">
        <button type="button" class="b-small" onClick={add}>
          Add a field to each entry
        </button>
      </p>
    </fieldset>
  );
}

interface EntryProps {
  readonly item: Item;
  readonly index: number;
  readonly names: readonly string[];
  readonly written: Written;
  readonly isFresh: boolean;
  /** Its name is another: `undefined` if it no longer follows the label. */
  readonly onName: (name: string | undefined) => void;
}

function EntryField({ item, index, names, written, isFresh, onName }: EntryProps) {
  const list = [...formPath.value, 'fields', item.index, 'fields'];
  const path = [...list, index];
  const name = String(written.name ?? '');
  const title = textIn(written.label, language.value) ?? (labelFrom(name) || `Field ${index + 1}`);
  const type = String(written.type ?? 'text');
  const renaming = (next: string): Action => ({ do: 'set', path: [...path, 'name'], value: next });
  const isRefused = (typed: string) => isTakenInEntries(item.value.fields, index, typed.trim());
  const rename = (typed: string) => {
    const next = typed.trim();
    if (next === '' || next === name || isRefused(next)) return;
    if (change(renaming(next), `Renamed ${name} to ${next}`)) onName(undefined);
  };
  const label = (typed: string) => {
    const wanted = isFresh ? nameFrom(typed) : '';
    const next = wanted === '' ? name : freeName(wanted, names.toSpliced(index, 1));
    const text = writeText([...path, 'label'], written.label, language.value, typed);
    if (act([text, ...(next === name ? [] : [renaming(next)])], `Label: ${typed}`) && next !== name)
      onName(next);
  };
  return (
    <Entry list={list} index={index} count={names.length} title={title}>
      <TextEdit
        key={language.value}
        label="Label"
        value={textIn(written.label, language.value) ?? ''}
        placeholder={labelFrom(name)}
        path={[...path, 'label']}
        onText={label}
      />
      <div class="b-pair">
        <TextEdit
          label="Name"
          isCode
          value={name}
          path={[...path, 'name']}
          onText={rename}
          refusal={(typed) =>
            isRefused(typed) ? `${typed.trim()} is taken: choose another name.` : undefined
          }
        />
        <TypeSelect path={path} written={written} title={title} without={alone} />
      </div>
      <BooleanControl path={[...path, 'required']} label="Required" />
      {('options' in written || takesOptions(type)) && (
        <OptionList path={path} item={{ name, type, value: written }} />
      )}
      <Settings path={path} without={inPlace} labels={labelsFor(type)} />
    </Entry>
  );
}
