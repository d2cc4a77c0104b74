/** Settings of a field or note: the common ones first, then all other keys of its type. */

import { Options } from '@form-relay/ui/controls';
import { decidersIn, isTaken, renameField } from '../../../edit/form_edits.ts';
import { type Action, type Json, mapOf } from '../../../edit/model.ts';
import { keysAt } from '../../schema_nodes.ts';
import { config, notice } from '../../store.ts';
import { ConditionEditor } from '../settings/condition.tsx';
import { BooleanControl, type ControlProps, TextControl, TextInput } from '../settings/controls.tsx';
import { change, useDraft } from '../settings/draft.ts';
import { Frame } from '../settings/frame.tsx';
import { pathText } from '../settings/places.ts';
import { Settings } from '../settings/settings.tsx';
import { nameAfter, titleOf } from './actions.ts';
import { follow, formPath, fresh, keyOf, labelFrom, plan } from './form_model.ts';
import { OptionList } from './option_list.tsx';
import { idleKeys, palette, partOf, takesOptions } from './palette.tsx';
import type { Item } from './plan.ts';

const usual = 'label name required help placeholder options visible_when required_when type'.split(' ');
const labels = { visible_when: 'Shown only if', required_when: 'Required only if', value: 'Initial value' };

export function FieldSettings({ item }: { readonly item: Item }) {
  const path = [...formPath.value, 'fields', item.index];
  // A field is either always required, or required by a condition.
  const without = (key: string): readonly Action[] => [{ do: 'remove', path: [...path, key] }];
  return (
    <Settings
      path={path}
      first={usual}
      without={idleKeys(item.type)}
      labels={labels}
      controls={{
        label: (props) => (
          <TextControl
            {...props}
            help=""
            placeholder={labelFrom(item.name)}
            isByLanguage
            also={following(item)}
          />
        ),
        name: (props) => <NameControl key={keyOf(item.name)} {...props} item={item} />,
        options: () => <OptionList path={path} item={item} />,
        visible_when: (props) => <ConditionEditor {...props} without={waitingFor(item.name)} />,
        required: (props) => <BooleanControl {...props} also={without('required_when')} />,
        required_when: (props) => (
          <ConditionEditor
            {...props}
            always="No condition"
            without={[item.name]}
            also={without('required')}
          />
        ),
        type: (props) => <TypeSelect {...props} item={item} />,
      }}
    />
  );
}

/** Renames a new field when its label changes. */
const following = (item: Item) => (label: string) => {
  const name = nameAfter(item, label);
  if (name === undefined) return [];
  follow(item.name, name);
  const form = String(formPath.value[1]);
  fresh.value = [form, name];
  return renameField(config.value, form, item.index, name).actions;
};

/** The field, and all fields whose visibility depends on it: a condition on one of them would be circular. */
export function waitingFor(name: string): readonly string[] {
  const found = [name];
  for (const one of found)
    for (const { name, value } of plan.value.items)
      if (decidersIn(value.visible_when).includes(one) && !found.includes(name)) found.push(name);
  return found;
}

/** Accepts only an unused name, and updates all references to the field. */
function NameControl({ item, ...props }: ControlProps & { readonly item: Item }) {
  const form = String(formPath.value[1]);
  const isRefused = (typed: string) => isTaken(config.value, form, item.index, typed.trim());
  const draft = useDraft(item.name, (typed) => {
    const name = typed.trim();
    if (name === '' || name === item.name || isRefused(name)) return;
    const { actions, left } = renameField(config.value, form, item.index, name);
    if (!change(actions, `Renamed ${item.name} to ${name}`)) return;
    if (left.length > 0) notice.value = `${item.name} is still used in ${left.map(pathText).join(', ')}.`;
    follow(item.name, name);
    fresh.value = undefined;
  });
  const refused = isRefused(draft.text);
  return (
    <Frame {...props} isRequired={false}>
      {(named) => (
        <>
          <TextInput {...named} aria-invalid={refused || named['aria-invalid']} draft={draft} />
          {refused && (
            <p class="b-bad" role="alert">
              {draft.text.trim()} is already in use: choose another name.
            </p>
          )}
        </>
      )}
    </Frame>
  );
}

function TypeSelect({ path, item }: ControlProps & { readonly item: Item }) {
  const types = palette.value?.parts.filter(({ value }) => value?.name !== undefined);
  return (
    <Frame path={path} label="Type">
      {(named) => (
        <select
          {...named}
          value={item.type}
          onChange={({ currentTarget: { value, selectedOptions } }) =>
            changeType(item, value, selectedOptions[0]?.text ?? value)
          }
        >
          <Options of={types?.map((one) => [one.type, one.title]) ?? []} />
        </select>
      )}
    </Frame>
  );
}

/** The value that the palette inserts for the type. */
const sampleOf = (type: string) => mapOf(partOf(type)?.value as Json | undefined);

const keysOf = (written: Item['value'], type: string) =>
  keysAt(['forms', 'f', 'fields', 0], { forms: { f: { fields: [{ ...written, type }] } } });

/**
 * Changes the type: keeps keys that the new type accepts, adds those that it needs, and removes the rest,
 * which would be errors.
 */
function changeType(item: Item, type: string, title: string): void {
  const { value: written, type: before } = item;
  const path = [...formPath.value, 'fields', item.index];
  const known = keysOf(written, type);
  const were = keysOf(written, before);
  const sample = sampleOf(type);
  const kindOf = (keys: typeof known, key: string) => keys.find(({ name }) => name === key)?.kindName;
  // Whether the key belongs to the old type, such as an initial value that the new type may not accept.
  const isOwn = (key: string) =>
    (key === 'value' && takesOptions(type) !== takesOptions(before)) ||
    (key === 'autocomplete' && written[key] === sampleOf(before)[key]);
  const gone = Object.keys(written).filter(
    (key) =>
      known.length > 0 &&
      key !== 'type' &&
      (kindOf(known, key) !== kindOf(were, key) || idleKeys(type).includes(key) || isOwn(key)),
  );
  const needed = known
    .filter(({ name, isRequired }) => isRequired && (written[name] === undefined || gone.includes(name)))
    .map(({ name }) => name);
  const set = (key: string, value: Json | undefined): Action =>
    value === undefined ? { do: 'remove', path: [...path, key] } : { do: 'set', path: [...path, key], value };
  const actions = [
    set('type', type === 'text' ? undefined : type),
    ...gone.map((key) => set(key, undefined)),
    ...needed.map((key) => set(key, sample[key])),
  ];
  if (!change(actions, `${titleOf(item)} is now: ${title}`)) return;
  const lost = gone.filter((key) => !needed.includes(key) && key !== 'autocomplete');
  if (lost.length > 0)
    notice.value = `${title} has no ${lost.join(', ')}, so it was removed. Undo restores it.`;
}
