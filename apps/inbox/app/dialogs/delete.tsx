import type { Entry } from '../../src/api.ts';
import { deleteAll } from '../list/selection.ts';
import { remove } from '../message/message_now.ts';
import { counted, fullTime, number, senderOf } from '../words.ts';
import { Confirm, Dialog } from './dialog.tsx';

interface DeleteProps {
  readonly entries: readonly Entry[];
  readonly of: number | undefined;
}

/** Asks before one submission is deleted, or those of the selected ones that the person may delete. */
export function Delete({ entries, of }: DeleteProps) {
  const [first] = entries;
  const isOne = entries.length === 1;
  const waiting = entries.filter(({ state }) => state === 'kept').length;
  const staying = (of ?? entries.length) - entries.length;
  const go = () => (of === undefined && first ? remove(first.id) : deleteAll(entries));
  return (
    <Dialog title={isOne ? 'Delete this submission?' : `Delete ${counted(entries.length, 'submission')}?`}>
      {isOne && first && (
        <p>
          <b>
            <bdi>{senderOf(first)}</bdi>
          </b>
          , {fullTime(first.receivedAt)}
        </p>
      )}
      <p>
        {isOne ? 'It is' : 'They are'} removed from every place that the inbox reads, with{' '}
        {isOne ? 'its' : 'their'} files. This cannot be undone.
        {waiting > 0 && isOne && ' A delivery still waits; it will not be made.'}
        {waiting > 0 &&
          !isOne &&
          ` Deliveries of ${number(waiting)} of them still wait; they will not be made.`}
      </p>
      {staying > 0 && (
        <p>{number(staying)} of the selected ones stay, as you may not delete submissions of their forms.</p>
      )}
      <Confirm words={isOne ? 'Delete' : `Delete ${counted(entries.length, 'submission')}`} isBad onGo={go} />
    </Dialog>
  );
}
