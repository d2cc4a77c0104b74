/** The settings of a field or note: the usual ones first, then every other key of its type. */
import { decidersIn, isTaken, renameField } from '../../../edit/form_edits.ts';
import { config, notice } from '../../store.ts';
import {
  ConditionEditor,
  type ControlProps,
  change,
  Frame,
  pathText,
  Settings,
  TextControl,
  TextInput,
  useDraft,
} from '../settings/index.ts';
import { nameAfter, titleOf } from './actions.ts';
import { follow, formPath, fresh, keyOf, plan } from './form_model.ts';
import { labelFrom } from './names.ts';
import { OptionList } from './option_list.tsx';
import { idleKeys } from './picture.tsx';
import type { Item } from './plan.ts';
import { TypeSelect } from './type_select.tsx';

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
const labels = { visible_when: 'Shown', required_when: 'Demanded', value: 'Initial value' };

export function FieldSettings({ item }: { readonly item: Item }) {
  const path = [...formPath.value, 'fields', item.index];
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
        required_when: (props) => <ConditionEditor {...props} always="As above" without={[item.name]} />,
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
function waitingFor(name: string): readonly string[] {
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
              {draft.text.trim()} is taken: choose another name.
            </p>
          )}
        </>
      )}
    </Frame>
  );
}
