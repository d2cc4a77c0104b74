import { Icon, type IconName } from '@form-relay/ui/controls';
import type { MessageView } from '../../src/api.ts';
import { correspondentOf } from '../../src/correspondent.ts';
import { may, titleOf } from '../about.ts';
import { dialog } from '../dialogs/dialog.tsx';
import { fullTime } from '../words.ts';
import { replyTo } from './links.ts';
import { act, isBusy, mark, setRead } from './message_now.ts';

/** Opens a mail to the person who wrote. */
export function Reply({ message }: { readonly message: MessageView }) {
  const { fields } = message;
  const { name, email, message: quoted } = correspondentOf(fields.filter(({ type }) => type !== 'mark'));
  const subject = fields.find((field) =>
    /\bsubject\b|betreff|asunto|\bobjet\b|oggetto/iu.test(`${field.name} ${field.label}`),
  );
  const href = replyTo({
    email,
    subject: subject?.values[0]?.trim() || titleOf(message.form),
    intro: `${name || email}, ${fullTime(message.receivedAt)}:`,
    quoted,
  });
  return href === undefined ? null : (
    <a class="tool" href={href}>
      <Icon name="reply" />
      <span class="label">Reply</span>
    </a>
  );
}

const canRestore = ({ isSealed, state, dropped }: MessageView) =>
  !isSealed && (state === 'dropped' || dropped !== undefined);

export function ActionBar({ message }: { readonly message: MessageView }) {
  const { id } = message;
  const [waiting] = message.deliveries;
  const button = (icon: IconName, label: string, onClick: () => void, more = '') => (
    <button type="button" class={`tool ${more}`} disabled={isBusy.value} onClick={onClick}>
      <Icon name={icon} />
      <span class="label">{label}</span>
    </button>
  );
  return (
    <fieldset class="actions" aria-label="Actions">
      <Reply message={message} />
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
            button('undo', 'Restore', () => (dialog.value = { kind: 'restore', message }), 'strong')}
          {message.outputs.length > 0 &&
            !message.isSealed &&
            button('again', 'Deliver again', () => (dialog.value = { kind: 'again', message }))}
          {message.mark !== 'spam' && button('flag', 'Spam', () => void mark(id, 'spam'))}
          {message.mark !== 'ham' && button('check', 'Not spam', () => void mark(id, 'ham'))}
        </>
      )}
      {button(
        'dots',
        message.isRead ? 'Mark as unread' : 'Mark as read',
        () => void setRead(id, !message.isRead),
      )}
      {button('print', 'Print', () => print())}
      {may('erase', message.form) &&
        button('bin', 'Delete', () => (dialog.value = { kind: 'delete', entries: [message] }), 'danger')}
    </fieldset>
  );
}
