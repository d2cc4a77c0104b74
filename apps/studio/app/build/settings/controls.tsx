/** Controls for the value at a path. Controls change the config, and have no state of their own. */

import { Options } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Action, isMap, isScalar, type Json, mapOf, type Path } from '../../../edit/model.ts';
import { Prose } from '../../prose.tsx';
import { words } from '../../schema_nodes.ts';
import { act } from '../../store.ts';
import { language, languages } from '../fields/form_model.ts';
import { textIn, textShown, writeText } from '../texts.ts';
import { change, type Draft, useDraft } from './draft.ts';
import { Frame, type FrameProps, type Named } from './frame.tsx';
import { emptiest, held } from './places.ts';
import { entriesInTemplate, InsertMenu } from './template_menu.tsx';

export interface ControlProps extends Omit<FrameProps, 'trailing' | 'isGroup'> {
  /** The value in effect while the key is not set. */
  readonly fallback?: Json | undefined;
  /** An example, if no value is in effect. */
  readonly placeholder?: string | undefined;
}

export const nameOf = ({ path, label }: Pick<FrameProps, 'path' | 'label'>) =>
  label ?? words(String(path.at(-1)));

/** Sets the value, or removes the key and any map that would be empty without it. */
function writing(path: Path, value: Json | undefined): Action {
  if (value === undefined) return { do: 'remove', path: emptiest(path) };
  const around = path.slice(0, -1);
  // A flag becomes a map with settings.
  return held(around) === true
    ? { do: 'set', path: around, value: { [String(path.at(-1))]: value } }
    : { do: 'set', path, value };
}

/** @param isRequired Whether the key stays when its value is empty. */
export function put(
  path: Path,
  value: Json | undefined,
  name: string,
  isRequired = false,
  also: readonly Action[] = [],
): boolean {
  const kept = value === undefined && isRequired ? '' : value;
  if (kept === held(path)) return true;
  return act(
    [writing(path, kept), ...also, ...following(path, kept)],
    kept === undefined ? `Removed ${name}` : `Changed ${name}`,
  );
}

/** Keys that a value requires or excludes. */
function following(path: Path, value: Json | undefined): readonly Action[] {
  const around = path.slice(0, -1);
  const has = (key: string) => held([...around, key]) !== undefined;
  const without = (...keys: readonly string[]): readonly Action[] =>
    keys.filter(has).map((key) => ({ do: 'remove', path: [...around, key] }));
  const set = (isNeeded: boolean, path: Path, value: Json): readonly Action[] =>
    isNeeded ? [{ do: 'set', path, value }] : [];
  const key = path.at(-1);
  if (around.at(-1) === 'spam') {
    const isTagged = (doubt: Json | undefined) => doubt === 'tag' || mapOf(doubt).tag !== undefined;
    const isDoubted = String(held([...around, 'too_fast'])) === 'doubt';
    if (key === 'doubt')
      return isDoubted && !isTagged(value ?? held(['spam', 'doubt'])) ? without('too_fast') : [];
    if (key !== 'too_fast' || value === undefined) return [];
    const doubt = held([...around, 'doubt']) ?? held(['spam', 'doubt']);
    return [
      ...set(!has('min_fill_seconds'), [...around, 'min_fill_seconds'], 3),
      ...set(value === 'doubt' && !isTagged(doubt), [...around, 'doubt'], 'tag'),
    ];
  }
  if (key === 'offline' || (key === 'verify' && value === 'code')) {
    const isCounted = value === undefined || value === false || held(['counted_in']) !== undefined;
    return set(!isCounted, ['counted_in'], '/var/lib/form-relay');
  }
  if (key === 'html' && value !== true) return without('intro', 'footer');
  if (key === 'country' && value !== undefined) return without('pattern', 'min_length', 'max_length');
  return [];
}

const hintOf = ({ fallback, placeholder = '' }: ControlProps): string =>
  isScalar(fallback) ? String(fallback) : placeholder;

interface TextProps extends ControlProps {
  readonly isLong?: boolean;
  /** Whether `{{ … }}` works in it: a menu inserts fields. */
  readonly isTemplate?: boolean;
  /** Whether numeric text becomes a number. */
  readonly isNumber?: boolean;
  /** Whether visitors read it: the value may be a map by language, and the current language is edited. */
  readonly isByLanguage?: boolean;
  /** Changes to make along with the text. */
  readonly also?: (text: string) => readonly Action[];
  /** Shown below the text: how to write other kinds of values. */
  readonly others?: ComponentChildren;
}

/** `20.50` becomes 20.5, and `007` stays text. */
const numberOrText = (text: string): Json =>
  /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(text.trim()) ? Number(text) : text;

/** An input of one or several lines. */
export function TextControl(props: TextProps) {
  const { path, isTemplate, isNumber, isRequired, isByLanguage, also = () => [] } = props;
  const stored = held(path);
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const tag = language.value;
  const shown = isByLanguage ? (textIn(stored, tag) ?? '') : isScalar(stored) ? String(stored) : '';
  const name = nameOf(props);
  const draft = useDraft(shown, (text) => {
    const value = isNumber ? numberOrText(text) : text;
    if (isByLanguage && (languages.value.length > 1 || isMap(stored)))
      change(writeText(path, stored, tag, text, languages.value), `Changed ${name}`);
    else put(path, value === '' ? undefined : value, name, isRequired, also(text));
  });
  // Switching to another element while a person types would lose the focus.
  const isLong = useRef(false);
  if (input.current === null || document.activeElement !== input.current)
    isLong.current = props.isLong === true || shown.includes('\n') || shown.length > 90;
  const menu = <InsertMenu entries={isTemplate ? entriesInTemplate(path) : []} input={input} />;
  return (
    <Frame {...props} trailing={menu}>
      {(named) => (
        <>
          <TextInput
            {...named}
            inputRef={input}
            draft={draft}
            hint={isByLanguage ? (textShown(stored, tag) ?? hintOf(props)) : hintOf(props)}
            isLong={isLong.current}
            isNumber={isNumber}
          />
          {props.others}
        </>
      )}
    </Frame>
  );
}

/** A colour, typed or picked. */
export function ColourControl(props: ControlProps) {
  const stored = held(props.path);
  const [, digits = ''] = /^#?([0-9a-f]{6})$/i.exec(String(stored ?? '')) ?? [];
  const name = nameOf(props);
  return (
    <TextControl
      {...props}
      others={
        <input
          type="color"
          class="set-colour"
          aria-label={`Pick ${name}`}
          value={digits === '' ? '#ffffff' : `#${digits}`}
          onChange={({ currentTarget }) => put(props.path, currentTarget.value, name)}
        />
      }
    />
  );
}

interface InputProps extends Partial<Named> {
  readonly draft: Draft;
  readonly hint?: string | undefined;
  readonly isLong?: boolean | undefined;
  readonly isNumber?: boolean | undefined;
  readonly inputRef?: { current: (HTMLInputElement & HTMLTextAreaElement) | null };
  readonly 'aria-label'?: string;
}

export function TextInput({ draft, hint, isLong, isNumber, inputRef, ...named }: InputProps) {
  const own = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const input = inputRef ?? own;
  const now = input.current;
  const isWhole =
    now?.value &&
    now === document.activeElement &&
    now.selectionStart === 0 &&
    now.selectionEnd === now.value.length;
  // A name that follows its label may change after Tab has selected it. Select it again, so that typing replaces all of it.
  useLayoutEffect(() => {
    if (isWhole) input.current?.select();
  }, [draft.text]);
  const shared = {
    ...named,
    ref: input,
    value: draft.text,
    placeholder: hint || undefined,
    spellcheck: false,
    autocomplete: 'off',
    onInput: (event: { currentTarget: { value: string } }) => draft.type(event.currentTarget.value),
    onBlur: draft.leave,
  };
  if (isLong)
    return <textarea {...shared} rows={Math.min(12, Math.max(3, draft.text.split('\n').length + 1))} />;
  return (
    <input
      {...shared}
      type="text"
      inputMode={isNumber ? 'decimal' : undefined}
      class={isNumber ? 'set-number' : undefined}
      onKeyDown={(event) => {
        if (event.key === 'Enter') draft.flush();
      }}
    />
  );
}

/** A checkbox. A key that is not set has the default; a value equal to the default is removed. */
export function BooleanControl(props: ControlProps & { readonly also?: readonly Action[] }) {
  const { path, fallback = false, also } = props;
  const stored = held(path);
  const isOn = stored === undefined || stored === null ? fallback === true : !/^false$/i.test(String(stored));
  return (
    <Frame {...props}>
      {(named) => (
        <input
          {...named}
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget: { checked } }) =>
            put(path, checked === (fallback === true) ? undefined : checked, nameOf(props), false, also)
          }
        />
      )}
    </Frame>
  );
}

export interface ChoiceProps extends ControlProps {
  readonly choices: readonly Json[];
  /** Labels of the choices. Default: the value itself. */
  readonly inWords?: Readonly<Record<string, string>>;
  /** Changes to make along with the choice. */
  readonly also?: (value: Json | undefined) => readonly Action[];
  /** Descriptions of the choices, from the manual. */
  readonly descriptions?: Readonly<Record<string, string>>;
}

interface SelectProps extends Partial<Named>, Pick<ChoiceProps, 'choices' | 'inWords'> {
  readonly value?: Json | undefined;
  /** Label for "no value", if the key is optional. */
  readonly empty?: string | false;
  readonly onPick: (value: Json | undefined) => void;
  readonly 'aria-label'?: string;
}

export function Select({ choices, inWords = {}, value, empty, onPick, ...attributes }: SelectProps) {
  const all = value === undefined || choices.includes(value) ? choices : [...choices, value];
  return (
    <select
      {...attributes}
      value={value === undefined ? '' : JSON.stringify(value)}
      onChange={({ currentTarget }) => {
        const picked = currentTarget.value;
        // A control that only adds items is cleared.
        if (value === undefined) currentTarget.value = '';
        onPick(picked === '' ? undefined : JSON.parse(picked));
      }}
    >
      {empty && <option value="">{empty}</option>}
      <Options of={all.map((one) => [JSON.stringify(one), inWords[String(one)] ?? String(one)])} />
    </select>
  );
}

/** A choice of one of several values. */
export function ChoiceControl(props: ChoiceProps) {
  const { path, inWords = {}, descriptions = {}, fallback, isRequired } = props;
  const stored = held(path) ?? undefined;
  const says = descriptions[String(stored ?? fallback)];
  const usual = isScalar(fallback) && `${inWords[String(fallback)] ?? fallback} (default)`;
  return (
    <Frame {...props}>
      {(named) => (
        <>
          <Select
            {...named}
            choices={props.choices}
            inWords={inWords}
            value={stored}
            empty={(stored === undefined || !isRequired) && (usual || 'Not set')}
            onPick={(value) => put(path, value, nameOf(props), false, props.also?.(value))}
          />
          {says && (
            <p class="set-help">
              <Prose text={says} />
            </p>
          )}
        </>
      )}
    </Frame>
  );
}
