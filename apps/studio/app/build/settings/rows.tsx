/** Lists and maps of texts, with a row for each entry. */

import { Icon, type IconName } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { isScalar, listOf, mapOf, type Path } from '../../../edit/model.ts';
import { ProblemList } from '../../code/problems.tsx';
import { act, settle } from '../../store.ts';
import { type ChoiceProps, type ControlProps, nameOf, put, Select, TextInput } from './controls.tsx';
import { change, useDraft } from './draft.ts';
import { AsText, Frame } from './frame.tsx';
import { emptiest, held, problemsAt } from './places.ts';
import { entriesInTemplate, InsertMenu } from './template_menu.tsx';

interface ListProps extends ControlProps, Partial<Pick<ChoiceProps, 'choices' | 'inWords'>> {
  /** Shown below the rows: how to write other kinds of values. */
  readonly others?: ComponentChildren;
}

/** Texts in order, or some of the choices. A single text may be written without a list. */
export function ListControl(props: ListProps) {
  const { path, choices = [], inWords } = props;
  const stored = held(path);
  const items = isScalar(stored) ? [stored] : listOf(stored);
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

/** A list item or map value, which stays when it is emptied. */
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
  readonly hint: string | undefined;
  readonly onAdd: (text: string) => void;
}

/** An input for a new entry, added on Enter, with the button, or when focus leaves. */
export function AddRow({ label, hint, onAdd }: AddProps) {
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
        Add
      </button>
    </div>
  );
}

/** Names with one text each, such as headers. */
export function MapControl({ isTemplate, ...props }: ControlProps & { readonly isTemplate: boolean }) {
  const { path } = props;
  const entries = Object.entries(mapOf(held(path)));
  const name = nameOf(props);
  const group = useRef<HTMLUListElement>(null);
  const add = (key: string) => {
    if (entries.some(([one]) => one === key)) return;
    if (change({ do: 'set', path: [...path, key], value: '' }, `Added ${key} to ${name}`)) {
      // Waits until the row is rendered.
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
                <KeyInput path={[...path, key]} of={`name of ${key}`} />
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
          <AddRow label={`${name}: add a name`} hint="A name" onAdd={add} />
        </>
      )}
    </Frame>
  );
}

interface KeyProps {
  readonly path: Path;
  readonly of: string;
  readonly onRename?: (key: string) => void;
}

/** A map's key. Renames it on Enter or when focus leaves, because half a name may be another key. */
export function KeyInput({ path, of, onRename }: KeyProps) {
  const key = String(path.at(-1));
  const [typed, setTyped] = useState<string>();
  const rename = () => {
    setTyped(undefined);
    const text = typed?.trim() ?? key;
    if (text === '' || held([...path.slice(0, -1), text]) !== undefined) return;
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
  /** Finds the button again after its row has moved. */
  readonly part?: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

/** A button that has only an icon. */
export const Tool = ({ icon, name, part, disabled, onClick }: ToolProps) => (
  <button
    type="button"
    class="b-tool"
    aria-label={name}
    title={name}
    data-part={part}
    // A disabled button would lose the focus, such as when a field reaches the top.
    aria-disabled={disabled || undefined}
    onClick={() => !disabled && onClick()}
  >
    <Icon name={icon} />
  </button>
);
