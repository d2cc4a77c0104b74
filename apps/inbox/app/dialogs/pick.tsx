/** Dialogs in which people choose labels, somebody to assign to, and the name of a view. */
import { Button, Icon } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import type { Label } from '../../src/api.ts';
import { about, mayIn, readAbout, tell } from '../about.ts';
import { paramsOf, query } from '../address.ts';
import { post, wordsOf } from '../ask.ts';
import { permitted } from '../list/selection.ts';
import { change, current, isForSelected } from '../message/message_now.ts';
import { close, Dialog } from './dialog.tsx';

async function during(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
    await readAbout();
  } catch (error) {
    tell(wordsOf(error), true);
  }
}

const colors = ['Blue', 'Green', 'Amber', 'Red', 'Violet', 'Teal', 'Pink', 'Grey'];

const targets = () => (isForSelected() ? permitted('act') : [current()].filter((one) => one !== undefined));

/** Typed once, a label is offered next time. */
export function Labels() {
  const typed = useSignal('');
  const entries = useSignal(new Map(targets().map(({ id, work }) => [id, new Set(work?.labels)])));
  const all = about.value?.work?.labels ?? [];
  const name = typed.value.trim();
  const isIn = (one: string, other: string) => one.toLowerCase().includes(other.toLowerCase());
  const found = all.filter((one) => isIn(one.name, name));
  const isNew = name !== '' && !all.some((one) => one.name.toLowerCase() === name.toLowerCase());
  const has = (label: string) => [...entries.value.values()].every((own) => own.has(label));
  const set = async (label: string, isOn: boolean) => {
    typed.value = '';
    entries.value = new Map(
      [...entries.value].map(([id, own]) => [
        id,
        new Set(isOn ? [...own, label] : [...own].filter((one) => one !== label)),
      ]),
    );
    await change(
      isOn ? { add: [label] } : { remove: [label] },
      (sum) => `${isOn ? 'Labelled' : 'Took the label from'} ${sum}.`,
      true,
    );
  };
  return (
    <Dialog title={isForSelected() ? 'Labels of the selected submissions' : 'Labels'}>
      <form
        class="pick-line"
        onSubmit={(event) => {
          event.preventDefault();
          const label = found[0]?.name ?? name;
          if (label !== '') void set(label, !has(label));
        }}
      >
        <input
          aria-label="Find or add a label"
          placeholder="Find or add a label"
          autofocus
          autocomplete="off"
          maxLength={60}
          value={typed.value}
          onInput={({ currentTarget: { value } }) => (typed.value = value)}
        />
        {isNew && (
          <Button class="main" onClick={() => void set(name, true)}>
            Add “{name}”
          </Button>
        )}
      </form>
      <ul class="pick-list">
        {found.map((label) => (
          <LabelLine
            key={label.name}
            label={label}
            isOn={has(label.name)}
            onSet={(isOn) => void set(label.name, isOn)}
          />
        ))}
      </ul>
      <div class="buttons">
        <Button onClick={close}>Close</Button>
      </div>
    </Dialog>
  );
}

interface LabelLineProps {
  readonly label: Label;
  readonly isOn: boolean;
  readonly onSet: (isOn: boolean) => void;
}

function LabelLine({ label: { name, color }, isOn, onSet }: LabelLineProps) {
  const isAsked = useSignal(false);
  return (
    <li>
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={({ currentTarget: { checked } }) => onSet(checked)} />
        <span class={`badge badge-${color}`}>
          <bdi>{name}</bdi>
        </span>
      </label>
      <select
        aria-label={`Colour of ${name}`}
        value={color}
        onChange={({ currentTarget: { value } }) =>
          void during(() => post('/api/labels', { name, color: Number(value) }))
        }
      >
        {colors.map((words, nth) => (
          <option key={words} value={nth}>
            {words}
          </option>
        ))}
      </select>
      {mayIn('act').length === about.value?.forms.length &&
        (isAsked.value ? (
          <Button
            class="tool danger"
            autofocus
            onClick={() => void during(() => post('/api/labels', { name, isRemoved: true }))}
          >
            Remove everywhere
          </Button>
        ) : (
          <Button class="tool quiet" aria-label={`Remove ${name}`} onClick={() => (isAsked.value = true)}>
            <Icon name="bin" />
          </Button>
        ))}
    </li>
  );
}

/** People of the team; on one's own machine, any name. */
export function Assign() {
  const { people = [], isFree = false } = about.value?.work ?? {};
  const typed = useSignal('');
  const name = typed.value.trim();
  const found = people.filter((one) => one.toLowerCase().includes(name.toLowerCase()));
  const entries = targets();
  const isNow = (one: string) => entries.every(({ work }) => (work?.assigned ?? '') === one);
  const set = async (assigned: string) => {
    close();
    await change({ assigned }, (sum) =>
      assigned === '' ? `Unassigned ${sum}.` : `Assigned ${sum} to ${assigned}.`,
    );
  };
  return (
    <Dialog title={isForSelected() ? 'Assign the selected submissions' : 'Assign'}>
      <form
        class="pick-line"
        onSubmit={(event) => {
          event.preventDefault();
          const chosen = isFree && name !== '' ? name : found[0];
          if (chosen !== undefined) void set(chosen);
        }}
      >
        <input
          aria-label={isFree ? 'Name' : 'Find a person'}
          placeholder={isFree ? 'Name' : 'Find a person'}
          autofocus
          autocomplete="off"
          maxLength={60}
          value={typed.value}
          onInput={({ currentTarget: { value } }) => (typed.value = value)}
        />
        {isFree && name !== '' && (
          <button type="submit" class="main">
            Assign
          </button>
        )}
      </form>
      <ul class="pick-list">
        {['', ...found].map((one) => (
          <li key={one}>
            <Button
              class="pick-one"
              aria-current={isNow(one) ? 'true' : undefined}
              onClick={() => void set(one)}
            >
              <bdi>{one || 'Nobody'}</bdi>
              {one !== '' && one === about.value?.person.name && <span class="aside">you</span>}
              {isNow(one) && <Icon name="check" />}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Names the filters in use. */
export function SaveView() {
  const name = useSignal('');
  const isShared = useSignal(false);
  const isAlone = about.value?.work?.isFree === true;
  const save = () => {
    close();
    return during(() =>
      post('/api/views', {
        name: name.value,
        query: String(paramsOf(query.peek())),
        isShared: isShared.value,
      }),
    );
  };
  return (
    <Dialog title="Save this view">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.value.trim() !== '') void save();
        }}
      >
        <div class="pick-line">
          <input
            aria-label="Name"
            placeholder="Name, such as “Open quotes”"
            autofocus
            autocomplete="off"
            maxLength={60}
            value={name.value}
            onInput={({ currentTarget: { value } }) => (name.value = value)}
          />
        </div>
        {!isAlone && (
          <label class="check">
            <input
              type="checkbox"
              checked={isShared.value}
              onChange={({ currentTarget: { checked } }) => (isShared.value = checked)}
            />
            Visible to everyone who uses this inbox
          </label>
        )}
        <div class="buttons">
          <Button onClick={close}>Cancel</Button>
          <button type="submit" class="main" disabled={name.value.trim() === ''}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export async function removeView(nth: number): Promise<void> {
  await during(() => post('/api/views', { nth, isRemoved: true }));
}
