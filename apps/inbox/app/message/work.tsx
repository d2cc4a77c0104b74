/** The work on a submission: state, assignee and labels above it, notes and replies below. */
import { Button, Icon } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import type { MessageView, Note, Reply as Sent, Work } from '../../src/api.ts';
import { about } from '../about.ts';
import { dialog, Form, IconTag, Time } from '../controls.tsx';
import { Assign, Labels } from '../dialogs/pick.tsx';
import { exactTime } from '../words.ts';
import { addNote, change, mayAdd, removeNote, setDone } from './message_now.ts';
import { Reply, resend } from './reply.tsx';

const colorOf = (name: string) => about.value?.work?.labels.find((one) => one.name === name)?.color ?? 0;

export const LabelChip = ({ name }: { readonly name: string }) => (
  <span class={`badge badge-${colorOf(name)}`}>
    <bdi>{name}</bdi>
  </span>
);

/** For example, AL for `ada.lovelace@example.org` and for `Ada Lovelace`. */
export const initialsOf = (name: string): string => {
  const [local = ''] = name.split('@');
  const parts = local.split(/[\s._-]+/u).filter(Boolean);
  return [parts[0], parts.length > 1 ? parts.at(-1) : undefined]
    .map((part) => [...(part ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
};

/** Tags in a row of the list, as many as fit. */
export function WorkTags({ work: { labels, assigned, isDone, notes, replies } }: { readonly work: Work }) {
  return (
    <>
      {labels.slice(0, 2).map((name) => (
        <LabelChip key={name} name={name} />
      ))}
      {labels.length > 2 && (
        <span class="tag" title={labels.slice(2).join(', ')}>
          +{labels.length - 2}
        </span>
      )}
      {replies > 0 && (
        <IconTag icon="reply" words="Replied" title={notes > 0 ? 'Replied, has notes' : 'Replied'} />
      )}
      {notes > 0 && replies === 0 && <IconTag icon="pen" words="Has notes" />}
      {assigned && (
        <span class="initials" title={`Assigned to ${assigned}`}>
          <span class="unseen">Assigned to {assigned}</span>
          <span aria-hidden="true">{initialsOf(assigned)}</span>
        </span>
      )}
      {isDone && <IconTag icon="check" words="Done" class="ham" />}
    </>
  );
}

export function WorkBar({ message: { form, detail } }: { readonly message: MessageView }) {
  if (!detail) return null;
  const { isDone, assigned, labels } = detail;
  const isAble = mayAdd(form);
  if (!isAble && !isDone && !assigned && labels.length === 0) return null;
  return (
    <div class="work-bar">
      {isAble ? (
        <Button
          class={`tool${isDone ? ' is-done' : ''}`}
          aria-pressed={isDone}
          onClick={() => void setDone(!isDone)}
        >
          <Icon name="check" />
          Done
        </Button>
      ) : (
        isDone && <span class="tag ham">Done</span>
      )}
      {isAble ? (
        <Button onClick={() => (dialog.value = <Assign />)}>
          {assigned && <span class="unseen">Assigned to </span>}
          {assigned ? (
            <span class="initials" aria-hidden="true">
              {initialsOf(assigned)}
            </span>
          ) : (
            <Icon name="plus" />
          )}
          <bdi>{assigned || 'Assign'}</bdi>
        </Button>
      ) : (
        assigned && <span class="tag">{assigned}</span>
      )}
      {labels.map((name) =>
        isAble ? (
          <Button
            key={name}
            class={`badge badge-${colorOf(name)}`}
            title="Remove this label"
            onClick={() => void change({ remove: [name] }, () => '')}
          >
            <bdi>{name}</bdi>
            <Icon name="cross" />
            <span class="unseen">Remove this label</span>
          </Button>
        ) : (
          <LabelChip key={name} name={name} />
        ),
      )}
      {isAble && (
        <Button onClick={() => (dialog.value = <Labels />)}>
          <Icon name="plus" />
          Label
        </Button>
      )}
    </div>
  );
}

const mine = () => (about.value?.work?.isFree ? 'owner' : (about.value?.person.name ?? ''));
const nameOf = (who: string) => (who === mine() ? 'You' : who);

/** Notes and replies below the values, oldest first, then the forms for new ones. */
export function Thread({ message: got }: { readonly message: MessageView }) {
  const { detail, form, id } = got;
  const isAble = mayAdd(form);
  if (!detail || (!isAble && detail.thread.length === 0)) return null;
  return (
    <section class="part thread" aria-labelledby="thread">
      <h3 id="thread">Notes and replies</h3>
      {detail.thread.length > 0 && (
        <ol>
          {detail.thread.map((one) =>
            one.kind === 'note' ? (
              <NoteItem key={`n${one.nth}`} note={one} id={id} isAble={isAble} />
            ) : (
              <ReplyItem key={one.key} reply={one} id={id} isAble={isAble} />
            ),
          )}
        </ol>
      )}
      {isAble && (
        <>
          <Reply key={id} message={got} />
          <NewNote id={id} />
        </>
      )}
    </section>
  );
}

const Said = ({ who, at, verb }: { readonly who: string; readonly at: number; readonly verb: string }) => (
  <p class="said">
    <b>
      <bdi>{nameOf(who)}</bdi>
    </b>{' '}
    {verb} <Time at={at} format={exactTime} />
  </p>
);

interface ItemProps {
  readonly id: string;
  readonly isAble: boolean;
}

const NoteItem = ({ note: { nth, who, at, text }, id, isAble }: ItemProps & { readonly note: Note }) => (
  <li class="note">
    <Said who={who} at={at} verb="noted" />
    {isAble && who === mine() && (
      <Button class="tool quiet" aria-label="Remove this note" onClick={() => void removeNote(id, nth)}>
        <Icon name="bin" />
      </Button>
    )}
    <p class="text" dir="auto">
      {text}
    </p>
  </li>
);

const stateOf: Readonly<Record<Sent['state'], string>> = {
  sending: 'Being sent',
  sent: 'Sent',
  failed: 'Not sent',
  unsure: 'May have been sent',
};

const ReplyItem = ({ reply, id, isAble }: ItemProps & { readonly reply: Sent }) => {
  const { who, at, to, subject, text, state, why } = reply;
  return (
    <li class="replied">
      <Said who={who} at={at} verb="replied" />
      <span class={`tag ${state === 'sent' ? 'ham' : state === 'sending' ? '' : 'warn'}`}>
        {stateOf[state]}
      </span>
      <p class="aside">
        To <bdi>{to}</bdi>: <bdi>{subject}</bdi>
      </p>
      <p class="text" dir="auto">
        {text}
      </p>
      {why && <p class="reason">{why}.</p>}
      {isAble && (state === 'failed' || state === 'unsure') && (
        <Button onClick={() => void resend(id, reply)}>
          {state === 'failed' ? 'Send again' : 'Send anyway'}
        </Button>
      )}
    </li>
  );
};

function NewNote({ id }: { readonly id: string }) {
  const text = useSignal('');
  const add = async () => {
    if (text.value.trim() !== '' && (await addNote(id, text.value))) text.value = '';
  };
  return (
    <Form class="write" onGo={add}>
      <label>
        <span class="unseen">Note</span>
        <textarea
          id="note"
          rows={text.value === '' ? 1 : 3}
          maxLength={10_000}
          placeholder="Write a note for your team"
          value={text.value}
          onInput={({ currentTarget: { value } }) => (text.value = value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void add();
            else if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
      </label>
      {text.value.trim() !== '' && (
        <button type="submit" class="main">
          Add note
        </button>
      )}
    </Form>
  );
}
