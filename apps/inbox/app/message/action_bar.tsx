import { Icon, type IconName } from '@form-relay/ui/controls';
import type { MessageView } from '../../src/api.ts';
import { may } from '../about.ts';
import { dialog } from '../dialogs/dialog.tsx';
import { act, isBusy, mark, setRead } from './message_now.ts';
import { ReplyAction } from './reply.tsx';

const canRestore = ({ isSealed, state, dropped }: MessageView) =>
  !isSealed && (state === 'dropped' || dropped !== undefined);

export function ActionBar({ message }: { readonly message: MessageView }) {
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
      {button('print', 'Print', () => print(), 'by-icon')}
      {may('erase', message.form) &&
        button(
          'bin',
          'Delete',
          () => (dialog.value = { kind: 'delete', entries: [message] }),
          'danger by-icon',
        )}
    </fieldset>
  );
}
