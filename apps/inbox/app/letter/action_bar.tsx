import type { Letter } from '../../src/api.ts';
import { may } from '../about.ts';
import { dialog } from '../dialogs/dialog.tsx';
import { Icon, type IconName } from '../icons.tsx';
import { act, isBusy, mark, setRead } from './letter_now.ts';
import { Reply } from './reply.tsx';

const canRestore = ({ isSealed, state, dropped }: Letter) =>
  !isSealed && (state === 'dropped' || dropped !== undefined);

export function ActionBar({ letter }: { readonly letter: Letter }) {
  const { id } = letter;
  const [waiting] = letter.deliveries;
  const button = (icon: IconName, label: string, onClick: () => void, more = '') => (
    <button type="button" class={`tool ${more}`} disabled={isBusy.value} onClick={onClick}>
      <Icon name={icon} />
      <span class="label">{label}</span>
    </button>
  );
  return (
    <fieldset class="actions" aria-label="Actions">
      <Reply letter={letter} />
      {may('act', letter.form) && (
        <>
          {waiting &&
            button(
              'send',
              'Deliver now',
              () => void act(id, { action: 'deliver', output: waiting.output }),
              'strong',
            )}
          {canRestore(letter) &&
            letter.isFormKnown &&
            button('undo', 'Restore', () => (dialog.value = { kind: 'restore', letter }), 'strong')}
          {letter.outputs.length > 0 &&
            !letter.isSealed &&
            button('again', 'Deliver again', () => (dialog.value = { kind: 'again', letter }))}
          {letter.mark !== 'spam' && button('flag', 'Spam', () => void mark(id, 'spam'))}
          {letter.mark !== 'ham' && button('check', 'Not spam', () => void mark(id, 'ham'))}
        </>
      )}
      {button(
        'dots',
        letter.isRead ? 'Mark as unread' : 'Mark as read',
        () => void setRead(id, !letter.isRead),
      )}
      {button('print', 'Print', () => print())}
      {may('erase', letter.form) &&
        button('bin', 'Delete', () => (dialog.value = { kind: 'delete', entries: [letter] }), 'danger')}
    </fieldset>
  );
}
