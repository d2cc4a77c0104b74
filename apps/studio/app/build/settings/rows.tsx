/** Lists and maps of texts: a row each. */

import { Icon, type IconName } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Json, Path } from '../../../edit/model.ts';
import { ProblemList } from '../../code/problems.tsx';
import { isMap, isScalar } from '../../schema_nodes.ts';
import { act, settle } from '../../store.ts';
import { type ChoiceProps, type ControlProps, nameOf, put, Select, TextInput } from './controls.tsx';
import { change, useDraft } from './draft.ts';
import { AsText, Frame } from './frame.tsx';
import { emptiest, held, problemsAt } from './places.ts';
import { entriesInTemplate, InsertMenu } from './template_menu.tsx';

export interface RowsProps extends ControlProps {
  /** `{{ … }}` works in the values. */
  readonly isTemplate?: boolean;
  /** Below the rows: where other kinds of value come from. */
  readonly others?: ComponentChildren;
}

const asList = (value: Json | undefined): readonly Json[] => {
  if (Array.isArray(value)) return value as readonly Json[];
  return isScalar(value) ? [value] : [];
};

type Choices = Partial<Pick<ChoiceProps, 'choices' | 'inWords'>>;

/** Texts in order, or some of the choices. A single text may stand without its list. */
export function ListControl(props: RowsProps & Choices) {
  const { path, choices = [], inWords } = props;
  const stored = held(path);
  const items = asList(stored);
  const name = nameOf(props);
  const rows = useRef<HTMLUListElement>(null);
  const remove = (index: number) => {
    settle();
    if (!Array.isArray(stored) || items.length === 1) put(path, undefined, name);
    else act({ do: 'remove', path: [...path, index] }, `Removed a line of ${name}`);
    rows.current?.parentElement?.querySelector<HTMLElement>('.set-add > *')?.focus();
  };
  const add = (text: string) => {
    settle();
    if (Array.isArray(stored)) {
      act({ do: 'insert', path, index: items.length, value: text }, `Added to ${name}`);
    } else put(path, [...items, text], name);
  };
  return (
    <Frame {...props} isGroup>
      {() => (
        <>
          <ul class="set-rows" ref={rows}>
            {items.map((item, index) => (
              <li key={index} class="set-row">
                {choices.includes(item) ? (
                  <span class="set-value">{inWords?.[String(item)]}</span>
                ) : isScalar(item) ? (
                  <ItemInput
                    path={Array.isArray(stored) ? [...path, index] : path}
                    of={`${name} ${index + 1}`}
                  />
                ) : (
                  <AsText path={[...path, index]} />
                )}
                <RemoveButton of={`${name} ${index + 1}`} onClick={() => remove(index)} />
              </li>
            ))}
          </ul>
          {choices.length > 0 ? (
            <div class="set-add">
              <Select
                aria-label={`Add to ${name}`}
                choices={choices.filter((one) => !items.includes(one))}
                inWords={inWords}
                empty="Add"
                onPick={(value) => value !== undefined && add(String(value))}
              />
            </div>
          ) : (
            <AddRow label={`Add to ${name}`} hint={itemIn(props.placeholder)} onAdd={add} />
          )}
          {props.others}
        </>
      )}
    </Frame>
  );
}

/** The first item of an example such as `[DE, AT]`. */
const itemIn = (example: string | undefined) => example?.replace(/^\[([^,\]]*).*\]$/, '$1');

/** An item, or a map's value, that is never removed by emptying it. */
function ItemInput({ path, of, isTemplate }: { path: Path; of: string; isTemplate?: boolean | undefined }) {
  const stored = held(path);
  const shown = isScalar(stored) ? String(stored) : '';
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const draft = useDraft(shown, (text) => put(path, text, of, true));
  const problems = problemsAt(path);
  return (
    <>
      <TextInput
        draft={draft}
        inputRef={input}
        aria-label={of}
        aria-invalid={problems.length > 0 || undefined}
        isLong={shown.includes('\n')}
      />
      {isTemplate && <InsertMenu entries={entriesInTemplate(path)} input={input} />}
      <ProblemList problems={problems} />
    </>
  );
}

export const RemoveButton = ({ of, onClick }: { of: string; onClick: () => void }) => (
  <button type="button" class="set-icon" aria-label={`Remove ${of}`} title={`Remove ${of}`} onClick={onClick}>
    <Icon name="cross" />
  </button>
);

interface AddProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly button?: string;
  readonly onAdd: (text: string) => void;
}

/** A line to type what is added. Adds the text on Enter, with the button, and on leaving the line. */
export function AddRow({ label, hint, button = 'Add', onAdd }: AddProps) {
  const [text, setText] = useState('');
  const add = () => {
    if (text.trim() === '') return;
    setText('');
    onAdd(text.trim());
  };
  return (
    <div class="set-add">
      <input
        type="text"
        aria-label={label}
        placeholder={hint}
        value={text}
        data-own={text ? '' : undefined}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => setText(value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
        onBlur={add}
      />
      <button type="button" onClick={add}>
        {button}
      </button>
    </div>
  );
}

/** Names with a text each, such as headers. */
export function MapControl(props: RowsProps & { keyLabel?: string }) {
  const { path, isTemplate, keyLabel = 'name' } = props;
  const stored = held(path);
  const entries = isMap(stored) ? Object.entries(stored) : [];
  const name = nameOf(props);
  const group = useRef<HTMLUListElement>(null);
  const add = (key: string) => {
    if (entries.some(([one]) => one === key)) return;
    if (change({ do: 'set', path: [...path, key], value: '' }, `Added ${key} to ${name}`)) {
      // When the row is there.
      requestAnimationFrame(() =>
        group.current?.querySelector<HTMLElement>(':scope > li:last-child .set-value input')?.focus(),
      );
    }
  };
  return (
    <Frame {...props} isGroup>
      {() => (
        <>
          <ul class="set-rows" ref={group}>
            {entries.map(([key, value]) => (
              <li key={key} class="set-row set-pair">
                <KeyInput path={[...path, key]} of={`${keyLabel} of ${key}`} />
                <span class="set-value">
                  {isScalar(value) || value === null ? (
                    <ItemInput path={[...path, key]} of={key} isTemplate={isTemplate} />
                  ) : (
                    <AsText path={[...path, key]} />
                  )}
                </span>
                <RemoveButton
                  of={key}
                  onClick={() => change({ do: 'remove', path: emptiest([...path, key]) }, `Removed ${key}`)}
                />
              </li>
            ))}
          </ul>
          <AddRow label={`${name}: add a ${keyLabel}`} hint={`A ${keyLabel}`} onAdd={add} />
        </>
      )}
    </Frame>
  );
}

/** A key itself. Renames it on leaving the line or with Enter, as half a name may be another key. */
export function KeyInput({
  path,
  of,
  onRename,
}: {
  path: Path;
  of: string;
  onRename?: (key: string) => void;
}) {
  const key = String(path.at(-1));
  const [typed, setTyped] = useState<string>();
  const rename = () => {
    setTyped(undefined);
    const text = typed?.trim() ?? key;
    const siblings = held(path.slice(0, -1));
    if (text === '' || text === key || (isMap(siblings) && Object.hasOwn(siblings, text))) return;
    if (change({ do: 'rename', path, key: text }, `Renamed ${key} to ${text}`)) onRename?.(text);
  };
  return (
    <input
      type="text"
      class="set-keyinput"
      aria-label={of}
      value={typed ?? key}
      data-own={typed}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget: { value } }) => setTyped(value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') rename();
      }}
      onBlur={rename}
    />
  );
}

interface ToolProps {
  readonly icon: IconName;
  readonly name: string;
  /** Finds the button again after its row was moved. */
  readonly part?: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

/** A button with only an icon. */
export const Tool = ({ icon, name, part, disabled, onClick }: ToolProps) => (
  <button
    type="button"
    class="b-tool"
    aria-label={name}
    title={name}
    data-part={part}
    // A disabled button would lose the keyboard, such as when a field came to the top.
    aria-disabled={disabled || undefined}
    onClick={() => !disabled && onClick()}
  >
    <Icon name={icon} />
  </button>
);
