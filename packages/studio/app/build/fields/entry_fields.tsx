/** The fields of each entry of a field that repeats. */
import { freeName, renameInEntries } from '../../../edit/form_edits.ts';
import type { Json, Path } from '../../../edit/index.ts';
import { config } from '../../store.ts';
import { AsText, BooleanControl, change, Entry, pathText, problemsAt, Settings } from '../settings/index.ts';
import { textIn, writeText } from '../texts.ts';
import { formPath, language } from './form_model.ts';
import { labelFrom } from './names.ts';
import { palette } from './picture.tsx';
import { type Item, isMap } from './plan.ts';
import { TextEdit } from './text_edit.tsx';
import { typeActions } from './types.ts';

/** Types that no entry can have. */
const alone = ['file', 'hidden', 'consent', 'signature', 'computed', 'address', 'matrix', 'repeat'];
const inPlace = ['name', 'label', 'type', 'required', 'visible_when'];

type Written = { readonly [key: string]: Json };

export function EntryFields({ item }: { readonly item: Item }) {
  const path = [...formPath.value, 'fields', item.index, 'fields'];
  const fields: readonly Json[] = Array.isArray(item.value.fields) ? item.value.fields : [];
  const names = fields.map((field) => (isMap(field) ? String(field.name ?? '') : ''));
  const why = config.value.whyText(path);
  if (why !== undefined) return <AsText path={path} why={why} />;
  const add = () => {
    const name = freeName(names, 'field');
    change({ do: 'insert', path, index: fields.length, value: { name } }, `Added ${name}`);
  };
  return (
    <fieldset class="b-entry" data-path={pathText(path)}>
      <legend class="set-name">Fields of each entry</legend>
      {fields.map((field, index) =>
        isMap(field) ? (
          <EntryField key={index} item={item} index={index} count={fields.length} written={field} />
        ) : (
          <AsText key={index} path={[...path, index]} />
        ),
      )}
      {problemsAt(path).map(({ message }) => (
        <p key={message} class="b-bad">
          {message}
        </p>
      ))}
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
  readonly count: number;
  readonly written: Written;
}

function EntryField({ item, index, count, written }: EntryProps) {
  const list = [...formPath.value, 'fields', item.index, 'fields'];
  const path = [...list, index];
  const name = String(written.name ?? '');
  const title = textIn(written.label, language.value) ?? (labelFrom(name) || `Field ${index + 1}`);
  const rename = (typed: string) => {
    const next = typed.trim();
    if (next === '' || next === name) return;
    const form = String(path[1]);
    change(renameInEntries(config.value, form, item.index, index, next), `Renamed ${name} to ${next}`);
  };
  return (
    <Entry list={list} index={index} count={count} title={title}>
      <TextEdit
        key={language.value}
        label="Label"
        value={textIn(written.label, language.value) ?? ''}
        placeholder={labelFrom(name)}
        path={[...path, 'label']}
        onText={(typed) =>
          void change(writeText([...path, 'label'], written.label, language.value, typed), `Label: ${typed}`)
        }
      />
      <div class="b-pair">
        <TextEdit label="Name" isCode value={name} path={[...path, 'name']} onText={rename} />
        <EntryType path={path} written={written} title={title} />
      </div>
      <BooleanControl path={[...path, 'required']} label="Required" />
      <Settings path={path} without={inPlace} />
    </Entry>
  );
}

function EntryType({ path, written, title }: { path: Path; written: Written; title: string }) {
  const types = palette.value?.parts.filter(
    ({ type, value }) => value?.name !== undefined && !alone.includes(type),
  );
  return (
    <label class="set-control">
      <span class="set-name">Type</span>
      <select
        value={String(written.type ?? 'text')}
        onChange={({ currentTarget: { value, selectedOptions } }) =>
          change(typeActions(path, written, value), `${title} is now: ${selectedOptions[0]?.text ?? value}`)
        }
      >
        {types?.map(({ type, title: words }) => (
          <option key={type} value={type}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
