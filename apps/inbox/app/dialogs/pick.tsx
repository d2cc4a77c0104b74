/** Dialogs for choosing labels, for assigning a submission and for naming a view. */
import { Button, Icon, Options } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import type { Label } from '../../src/api.ts';
import { about, attempt, mayIn, readAbout } from '../about.ts';
import { paramsOf, query } from '../address.ts';
import { post } from '../ask.ts';
import { close, Dialog, Form, FormButtons, typed } from '../controls.tsx';
import { permitted } from '../list/selection.ts';
import { change, current, isForSelected } from '../message/message_now.ts';

/** Changes data that several parts of the page show. */
const save = (path: string, body: object) =>
  attempt(async () => {
    await post(path, body);
    await readAbout();
  });

export const removeView = (nth: number) => save('/api/views', { nth, isRemoved: true });

const colors = ['Blue', 'Green', 'Amber', 'Red', 'Violet', 'Teal', 'Pink', 'Grey'];

const targets = () => (isForSelected() ? permitted('act') : [current()].filter((one) => one !== undefined));

const isIn = (name: string, typed: string) => name.toLowerCase().includes(typed.toLowerCase());

/** A label typed once is offered next time. */
export function Labels() {
  const text = useSignal('');
  const entries = useSignal(new Map(targets().map(({ id, work }) => [id, new Set(work?.labels)])));
  const all = about.value?.work?.labels ?? [];
  const name = text.value.trim();
  const found = all.filter((one) => isIn(one.name, name));
  const isNew = name !== '' && !all.some((one) => one.name.toLowerCase() === name.toLowerCase());
  const has = (label: string) => [...entries.value.values()].every((own) => own.has(label));
  const set = async (label: string, isOn: boolean) => {
    text.value = '';
    const changed = (own: ReadonlySet<string>) =>
      new Set(isOn ? [...own, label] : [...own].filter((one) => one !== label));
    entries.value = new Map([...entries.value].map(([id, own]) => [id, changed(own)]));
    await change(
      isOn ? { add: [label] } : { remove: [label] },
      (sum) => `${isOn ? 'Labelled' : 'Removed the label from'} ${sum}.`,
      true,
    );
  };
  const go = () => {
    const label = found[0]?.name ?? name;
    return label !== '' && set(label, !has(label));
  };
  const hint = 'Find or add a label';
  return (
    <Dialog title={isForSelected() ? 'Labels of the selected submissions' : 'Labels'}>
      <Form class="pick-line" onGo={go}>
        <input {...typed(text)} aria-label={hint} placeholder={hint} autofocus maxLength={60} />
        {isNew && (
          <Button class="main" onClick={() => void set(name, true)}>
            Add “{name}”
          </Button>
        )}
      </Form>
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
  const isConfirming = useSignal(false);
  const saveLabel = (change: object) => void save('/api/labels', { name, ...change });
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
        onChange={({ currentTarget: { value } }) => saveLabel({ color: Number(value) })}
      >
        <Options of={colors.entries()} />
      </select>
      {mayIn('act').length === about.value?.forms.length &&
        (isConfirming.value ? (
          <Button class="tool danger" autofocus onClick={() => saveLabel({ isRemoved: true })}>
            Remove everywhere
          </Button>
        ) : (
          <Button
            class="tool quiet"
            aria-label={`Remove ${name}`}
            onClick={() => (isConfirming.value = true)}
          >
            <Icon name="bin" />
          </Button>
        ))}
    </li>
  );
}

/** Offers the people of the team; on the owner's own machine, accepts any name. */
export function Assign() {
  const { people = [], isFree = false } = about.value?.work ?? {};
  const text = useSignal('');
  const name = text.value.trim();
  const found = people.filter((one) => isIn(one, name));
  const entries = targets();
  const isNow = (one: string) => entries.every(({ work }) => (work?.assigned ?? '') === one);
  const set = async (assigned: string) => {
    close();
    await change({ assigned }, (sum) =>
      assigned === '' ? `Unassigned ${sum}.` : `Assigned ${sum} to ${assigned}.`,
    );
  };
  const go = () => {
    const chosen = isFree && name !== '' ? name : found[0];
    return chosen !== undefined && set(chosen);
  };
  const hint = isFree ? 'Name' : 'Find a person';
  return (
    <Dialog title={isForSelected() ? 'Assign the selected submissions' : 'Assign'}>
      <Form class="pick-line" onGo={go}>
        <input {...typed(text)} aria-label={hint} placeholder={hint} autofocus maxLength={60} />
        {isFree && name !== '' && (
          <button type="submit" class="main">
            Assign
          </button>
        )}
      </Form>
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

export function SaveView() {
  const name = useSignal('');
  const isShared = useSignal(false);
  const isUnready = name.value.trim() === '';
  const go = () => {
    if (isUnready) return undefined;
    close();
    const choice = paramsOf(query.peek()).toString();
    return save('/api/views', { name: name.value, query: choice, isShared: isShared.value });
  };
  return (
    <Dialog title="Save this view">
      <Form onGo={go}>
        <div class="pick-line">
          <input
            {...typed(name)}
            aria-label="Name"
            placeholder="Name, such as “Open quotes”"
            autofocus
            maxLength={60}
          />
        </div>
        {about.value?.work?.isFree !== true && (
          <label class="check">
            <input
              type="checkbox"
              checked={isShared.value}
              onChange={({ currentTarget: { checked } }) => (isShared.value = checked)}
            />
            Visible to everyone who uses this inbox
          </label>
        )}
        <FormButtons words="Save" disabled={isUnready} />
      </Form>
    </Dialog>
  );
}
