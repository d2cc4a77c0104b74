/** The settings of a field or note: the usual ones first, then every other key of its type. */
import { isTaken, renameField } from '../../../edit/form_edits.ts';
import { Options } from '../../options.tsx';
import { ProblemList } from '../../problem.tsx';
import { keysAt } from '../../schema.ts';
import { isMap } from '../../schema_nodes.ts';
import { act, config, notice } from '../../store.ts';
import {
  BooleanControl,
  ChoiceControl,
  ConditionEditor,
  change,
  pathText,
  problemsAt,
  Settings,
} from '../settings/index.ts';
import { nameOfLanguage, textIn, writeText } from '../texts.ts';
import { groupOf, move, nameAfter, titleOf, titleOfRun } from './actions.ts';
import { EntryFields } from './entry_fields.tsx';
import { fieldNames, follow, formPath, fresh, keyOf, language, languages, plan } from './form_model.ts';
import { labelFrom } from './names.ts';
import { OptionList } from './option_list.tsx';
import { idleKeys, takesOptions } from './picture.tsx';
import { type Item, slotIn } from './plan.ts';
import { TextEdit } from './text_edit.tsx';
import { TypeSelect } from './type_select.tsx';
import { labelsFor } from './types.ts';

const isSeen = ({ type }: Item) => type !== 'hidden';

export function FieldSettings({ item }: { readonly item: Item }) {
  const path = [...formPath.value, 'fields', item.index];
  if (item.isNote) return <NoteSettings item={item} />;
  const others = fieldNames.value.filter((name) => name !== item.name);
  return (
    <div class="b-settings">
      <ProblemList problems={problemsAt(path)} />
      {isSeen(item) && (
        <TextKey item={item} of="label" label="Label" placeholder={labelFrom(item.name)} part="label" />
      )}
      <div class="b-pair">
        <NameKey item={item} />
        {isSeen(item) && (
          <BooleanControl
            path={[...path, 'required']}
            label="Required"
            help="The form cannot be sent without it."
            fallback={item.type === 'consent'}
          />
        )}
      </div>
      {isSeen(item) && <TextKey item={item} of="help" label="Help" help="A sentence under the label." />}
      {keysAt(path, config.value.value).some(({ name }) => name === 'placeholder') && (
        <TextKey
          item={item}
          of="placeholder"
          label="Placeholder"
          help="An example, gone as soon as something is typed."
        />
      )}
      {'options' in item.value || takesOptions(item.type) ? <OptionList path={path} item={item} /> : null}
      {others.length > 0 && (
        <ConditionEditor
          path={[...path, 'visible_when']}
          label="Shown"
          always="Always"
          without={waitingFor(item.name)}
          help="While another field has a certain value. A field that is not shown is never required."
        />
      )}
      {isSeen(item) && (
        <ChoiceControl
          path={[...path, 'width']}
          label="Width"
          choices={['half', 'third', 'two_thirds']}
          inWords={widths}
          fallback="full"
          help="Narrower fields that follow each other stand side by side, except on a phone."
        />
      )}
      {item.type === 'repeat' && <EntryFields item={item} />}
      <Whereabouts item={item} />
      <TypeSelect path={path} written={item.value} title={titleOf(item)} />
      <Settings path={path} without={[...inPlace, ...idleKeys(item.type)]} labels={labelsFor(item.type)} />
    </div>
  );
}

const inPlace = [
  'name',
  'label',
  'help',
  'placeholder',
  'required',
  'options',
  'visible_when',
  'width',
  'type',
  // Those of entries (EntryFields).
  'fields',
];

const widths = { full: 'Full', half: 'Half', third: 'One third', two_thirds: 'Two thirds' };

/** The field, and those that its value shows or hides: a condition on one of them would go round in circles. */
function waitingFor(name: string): readonly string[] {
  const found = [name];
  for (const one of found)
    for (const { name, value } of plan.value.items)
      if (isMap(value.visible_when) && String(value.visible_when.field) === one && !found.includes(name))
        found.push(name);
  return found;
}

interface TextKeyProps {
  readonly item: Item;
  readonly of: string;
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly part?: string;
}

/** A text in the language shown. */
function TextKey({ item, of, label, help, placeholder, part }: TextKeyProps) {
  const path = [...formPath.value, 'fields', item.index, of];
  const value = item.value[of];
  const isPerLanguage = isMap(value);
  const write = (typed: string) => {
    const text = writeText(path, value, language.value, typed);
    const name = of === 'label' ? nameAfter(item, typed) : undefined;
    const words = typed === '' ? `Removed ${label.toLowerCase()}` : `${label}: ${typed}`;
    if (name === undefined) change(text, words);
    else if (act([text, ...renameField(config.value, String(path[1]), item.index, name).actions], words)) {
      follow(item.name, name);
      fresh.value = name;
    }
  };
  const tag = nameOfLanguage(language.value);
  return (
    <TextEdit
      key={`${of}${language.value}`}
      label={isPerLanguage ? `${label} in ${tag}` : label}
      value={textIn(value, language.value) ?? ''}
      onText={write}
      path={path}
      {...(help !== undefined && { help })}
      {...(placeholder !== undefined && { placeholder })}
      {...(part !== undefined && { part })}
    />
  );
}

function NameKey({ item }: { readonly item: Item }) {
  const isRefused = (typed: string) =>
    isTaken(config.value, String(formPath.value[1]), item.index, typed.trim());
  const write = (typed: string) => {
    const name = typed.trim();
    if (name === '' || name === item.name || isRefused(name)) return;
    const { actions, left } = renameField(config.value, String(formPath.value[1]), item.index, name);
    if (!change(actions, `Renamed ${item.name} to ${name}`)) return;
    if (left.length > 0) notice.value = `${item.name} is still named in ${left.map(pathText).join(', ')}.`;
    follow(item.name, name);
    fresh.value = undefined;
  };
  return (
    <TextEdit
      key={keyOf(item.name)}
      label="Name"
      isCode
      value={item.name}
      onText={write}
      refusal={(typed) => (isRefused(typed) ? `${typed.trim()} is taken: choose another name.` : undefined)}
      path={[...formPath.value, 'fields', item.index, 'name']}
      help={
        fresh.value === item.name
          ? 'How outputs call it. It follows the label until you change it.'
          : 'How outputs call it. What refers to it follows.'
      }
    />
  );
}

function NoteSettings({ item }: { readonly item: Item }) {
  const path = [...formPath.value, 'fields', item.index, 'note'];
  const write = (typed: string) => {
    if (typed !== '') change(writeText(path, item.value.note, language.value, typed), 'Changed the note');
  };
  return (
    <div class="b-settings">
      <TextEdit
        key={language.value}
        label={languages.value.length > 1 ? `Text in ${nameOfLanguage(language.value)}` : 'Text'}
        value={textIn(item.value.note, language.value) ?? ''}
        onText={write}
        path={path}
        isLong
        part="label"
        help="Text for visitors, sent nowhere. [words](https://…) becomes a link."
      />
    </div>
  );
}

/** The group and step it is in. */
function Whereabouts({ item }: { readonly item: Item }) {
  const { groups, steps } = plan.value;
  const place = (group: number | undefined, step: number | undefined) =>
    move(item, slotIn(plan.value, item.index, { group, step }));
  return (
    <div class="b-pair">
      <label class="set-control">
        <span class="set-name">Group</span>
        <select
          value={item.group ?? ''}
          onChange={({ currentTarget: { value } }) => {
            if (value === 'new') groupOf(item, 'New group');
            else if (value === '') place(undefined, item.step);
            else {
              const first = plan.value.items.find((one) => one.group === Number(value));
              place(Number(value), first?.step);
            }
          }}
        >
          <option value="">None</option>
          <Options of={groups.map((_, run) => [run, titleOfRun('groups', run)])} />
          {item.group === undefined && <option value="new">A new group around {titleOf(item)}</option>}
        </select>
      </label>
      {steps.length > 0 && (
        <label class="set-control">
          <span class="set-name">Step</span>
          <select
            value={item.step ?? ''}
            onChange={({ currentTarget: { value } }) => place(undefined, Number(value))}
          >
            <Options of={steps.map((_, run) => [run, `${run + 1}. ${titleOfRun('steps', run)}`])} />
          </select>
        </label>
      )}
    </div>
  );
}
