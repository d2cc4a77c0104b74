/** The settings of a field or note: the usual ones first, then every other key of its type. */

import { Options } from '@form-relay/ui/controls';
import { decidersIn, isTaken, renameField } from '../../../edit/form_edits.ts';
import type { Action, Json, Path } from '../../../edit/model.ts';
import { keysAt } from '../../relay.ts';
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
import { idleKeys, palette, takesOptions } from './palette.tsx';
import type { Item } from './plan.ts';

const usual = [
  'label',
  'name',
  'required',
  'help',
  'placeholder',
  'options',
  'visible_when',
  'required_when',
  'type',
];
const labels = { visible_when: 'Shown only if', required_when: 'Required only if', value: 'Initial value' };

export function FieldSettings({ item }: { readonly item: Item }) {
  const path = [...formPath.value, 'fields', item.index];
  // A field is required always, or by a condition.
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
        type: () => <TypeSelect path={path} written={item.value} title={titleOf(item)} />,
      }}
    />
  );
}

/** The name of a field that was just added follows its label. */
const following = (item: Item) => (label: string) => {
  const name = nameAfter(item, label);
  if (name === undefined) return [];
  follow(item.name, name);
  fresh.value = name;
  return renameField(config.value, String(formPath.value[1]), item.index, name).actions;
};

/** The field, and those that its value shows or hides: a condition on one of them would go round in circles. */
export function waitingFor(name: string): readonly string[] {
  const found = [name];
  for (const one of found)
    for (const { name, value } of plan.value.items)
      if (decidersIn(value.visible_when).includes(one) && !found.includes(name)) found.push(name);
  return found;
}

/** A name that is free: what refers to the field follows. */
function NameControl({ item, ...props }: ControlProps & { readonly item: Item }) {
  const form = String(formPath.value[1]);
  const isRefused = (typed: string) => isTaken(config.value, form, item.index, typed.trim());
  const draft = useDraft(item.name, (typed) => {
    const name = typed.trim();
    if (name === '' || name === item.name || isRefused(name)) return;
    const { actions, left } = renameField(config.value, form, item.index, name);
    if (!change(actions, `Renamed ${item.name} to ${name}`)) return;
    if (left.length > 0) notice.value = `${item.name} is still named in ${left.map(pathText).join(', ')}.`;
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

interface TypeProps {
  /** The field's. */
  readonly path: Path;
  readonly written: { readonly [key: string]: Json };
  readonly title: string;
}

export function TypeSelect({ path, written, title }: TypeProps) {
  const types = palette.value?.parts.filter(({ value }) => value?.name !== undefined);
  return (
    <Frame path={[...path, 'type']} label="Type">
      {(named) => (
        <select
          {...named}
          value={String(written.type ?? 'text')}
          onChange={({ currentTarget: { value, selectedOptions } }) =>
            changeType(path, written, value, title, selectedOptions[0]?.text ?? value)
          }
        >
          <Options of={types?.map((one) => [one.type, one.title]) ?? []} />
        </select>
      )}
    </Frame>
  );
}

type Written = { readonly [key: string]: Json };

/** As the palette adds a field of the type. */
const sampleOf = (of: string) =>
  (palette.value?.parts.find(({ type }) => type === of)?.value ?? {}) as Written;

const keysOf = (written: Written, type: string) =>
  keysAt(['forms', 'f', 'fields', 0], { forms: { f: { fields: [{ ...written, type }] } } });

/** Another type keeps what it takes, and gets what it needs. The rest goes, or the config would not load. */
export function changeType(path: Path, written: Written, type: string, of: string, title: string): void {
  const before = String(written.type ?? 'text');
  const known = keysOf(written, type);
  const were = keysOf(written, before);
  const sample = sampleOf(type);
  const kindOf = (keys: typeof known, key: string) => keys.find(({ name }) => name === key)?.kindName;
  // An initial value may be none of the new type's.
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
  if (!change(actions, `${of} is now: ${title}`)) return;
  const lost = gone.filter((key) => !needed.includes(key) && key !== 'autocomplete');
  if (lost.length > 0)
    notice.value = `${title} has no ${lost.join(', ')}, so it was removed. Undo restores it.`;
}
