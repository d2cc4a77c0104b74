import { Button, Icon, type IconName, Trouble } from '@form-relay/ui/controls';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { MessageField, MessageView } from '../../src/api.ts';
import { may, titleOf } from '../about.ts';
import { open } from '../address.ts';
import { dialog, Time } from '../controls.tsx';
import { Again, Delete, Restore } from '../dialogs/dialogs.tsx';
import { cursor, loadedEntry, step, total } from '../list/entries.ts';
import { Tags } from '../list/row.tsx';
import { fullTime, senderOf } from '../words.ts';
import { Deliveries, Files } from './files.tsx';
import { act, isBusy, mark, message, messageTrouble, readMessage, setRead } from './message_now.ts';
import { linkOf, ReplyAction } from './reply.tsx';
import { Thread, WorkBar } from './work.tsx';

export function Message({ id }: { readonly id: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    message.value = undefined;
    void readMessage(id);
    const found = loadedEntry(id);
    if (found) cursor.value = found.index;
  }, [id]);
  const got = message.value?.id === id ? message.value : undefined;
  useEffect(() => {
    // Narrow windows hide the list, so the focus is lost.
    if (got && document.activeElement === document.body) heading.current?.focus();
  }, [got?.id]);
  return (
    <>
      <div class="letter-bar">
        <Button class="tool back" onClick={() => open(undefined)}>
          <Icon name="back" />
          Back
        </Button>
        {got && <ActionBar message={got} />}
        <span class="turn">
          <Button aria-label="Newer submission" disabled={cursor.value <= 0} onClick={() => step(-1)}>
            ‹
          </Button>
          <Button
            aria-label="Older submission"
            disabled={cursor.value >= (total.value ?? 0) - 1}
            onClick={() => step(1)}
          >
            ›
          </Button>
        </span>
      </div>
      {messageTrouble.value && <Trouble words={messageTrouble.value} onGo={() => void readMessage(id)} />}
      {got ? (
        <Paper message={got} heading={heading} />
      ) : (
        !messageTrouble.value && <p class="says">Loading…</p>
      )}
    </>
  );
}

interface PaperProps {
  readonly message: MessageView;
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

function Paper({ message: got, heading }: PaperProps) {
  const { dropped, page } = got;
  return (
    <article class="letter">
      <header>
        <p class="kicker">
          <bdi>{titleOf(got.form)}</bdi>
          {!got.isFormKnown && <span class="tag">no longer in the config</span>}
        </p>
        <h2 ref={heading} tabIndex={-1}>
          <bdi>{senderOf(got)}</bdi>
        </h2>
        <p class="meta">
          <Time at={got.receivedAt} format={fullTime} />
          <Tags entry={got} />
        </p>
      </header>
      <WorkBar message={got} />
      {dropped && (
        <p class="notice warn">
          <span>
            <b>Dropped by {dropped.by.replaceAll('_', ' ')}.</b> {dropped.reason}
          </span>
        </p>
      )}
      {got.isSealed ? (
        <Sealed id={got.id} />
      ) : got.fields.length > 0 ? (
        <Fields fields={got.fields} language={got.language} />
      ) : (
        <p class="says">The submission's values are not stored, or cannot be read.</p>
      )}
      <Files message={got} />
      <History message={got} />
      {page && (
        <p class="page aside">
          Sent from <bdi>{page.title || page.url}</bdi>
          {page.title && (
            <>
              {' '}
              (<bdi>{page.url}</bdi>)
            </>
          )}
        </p>
      )}
      <Thread message={got} />
      <Deliveries message={got} />
      <Places message={got} />
    </article>
  );
}

const versionWords = { changed: 'Changed', withdrawn: 'Withdrawn', sent: 'Sent' } as const;

/** Lists all versions. The latest values are above. */
const History = ({ message: { history, language } }: { readonly message: MessageView }) =>
  history.length > 0 && (
    <section class="part history">
      <h3>History</h3>
      {history.map(({ receivedAt, part, fields }) => (
        <details key={receivedAt}>
          <summary>
            {versionWords[part ?? 'sent']} <Time at={receivedAt} format={fullTime} />
          </summary>
          <Fields fields={fields} language={language} />
        </details>
      ))}
    </section>
  );

const Sealed = ({ id }: { readonly id: string }) => (
  <div class="notice quiet">
    <Icon name="lock" />
    <p>
      <b>Sealed.</b> To print this submission, run this command where the private key is:{' '}
      <code>relay archive show {id} --from ARCHIVE --identity KEY.txt</code>
    </p>
  </div>
);

const Places = ({ message: { places, id } }: { readonly message: MessageView }) => (
  <section class="part places">
    <h3>Stored in</h3>
    {places.length === 0 ? (
      <p class="says">Not in any archive that the inbox reads.</p>
    ) : (
      <ul>
        {places.map((place) => (
          <li key={place}>
            <code>{place}</code>
          </li>
        ))}
      </ul>
    )}
    <p class="aside">
      Id in the log: <code>{id}</code>
    </p>
  </section>
);

interface FieldsProps {
  readonly fields: readonly MessageField[];
  /** The language of the labels; visitors may write in any language. */
  readonly language: string;
}

/** Values as text, each with its own direction; mail addresses and telephone numbers become links. */
export const Fields = ({ fields, language }: FieldsProps) => (
  <dl class="fields">
    {fields.map((field, nth) => {
      const { name, label, values } = field;
      return (
        <div key={`${nth} ${name}`}>
          <dt dir="auto" lang={language}>
            {label || name}
          </dt>
          {values.length === 0 && <dd class="none">–</dd>}
          {values.map((value, at) => (
            <dd key={at} dir="auto">
              <Value value={value} link={linkOf(field, value)} />
            </dd>
          ))}
        </div>
      );
    })}
  </dl>
);

function Value({ value, link }: { readonly value: string; readonly link: string | undefined }) {
  if (value === '') return <span class="none">–</span>;
  return link === undefined ? value : <a href={link}>{value}</a>;
}

const canRestore = ({ isSealed, state, dropped }: MessageView) =>
  !isSealed && (state === 'dropped' || dropped !== undefined);

function ActionBar({ message }: { readonly message: MessageView }) {
  const { id } = message;
  const [waiting] = message.deliveries;
  const button = (icon: IconName, label: string, onClick: () => void, more = '') => (
    <button
      type="button"
      class={`tool ${more}`}
      title={more.includes('by-icon') ? label : undefined}
      disabled={isBusy.value}
      onClick={onClick}
    >
      <Icon name={icon} />
      <span class="label">{label}</span>
    </button>
  );
  return (
    <fieldset class="actions" aria-label="Actions">
      <ReplyAction message={message} />
      {may('act', message.form) && (
        <>
          {waiting &&
            button(
              'send',
              'Deliver now',
              () => void act(id, { action: 'deliver', output: waiting.output }),
              'strong',
            )}
          {canRestore(message) &&
            message.isFormKnown &&
            button('undo', 'Restore', () => (dialog.value = <Restore message={message} />), 'strong')}
          {message.outputs.length > 0 &&
            !message.isSealed &&
            button('again', 'Deliver again', () => (dialog.value = <Again message={message} />))}
          {message.mark !== 'spam' && button('flag', 'Spam', () => void mark(id, 'spam'))}
          {message.mark !== 'ham' && button('check', 'Not spam', () => void mark(id, 'ham'))}
        </>
      )}
      {button(
        'dots',
        message.isRead ? 'Mark as unread' : 'Mark as read',
        () => void setRead(id, !message.isRead),
      )}
      {button('print', 'Print', () => print(), 'by-icon')}
      {may('erase', message.form) &&
        button('bin', 'Delete', () => (dialog.value = <Delete entries={[message]} />), 'danger by-icon')}
    </fieldset>
  );
}
