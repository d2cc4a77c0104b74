import { noFiles } from '../../base/files.ts';
import type { ReceiptOf } from '../../form.ts';
import { doubleOptIn } from '../visitor_mails/double_opt_in.ts';
import { contentHash, contentOf, decoyCode, receiptCode } from './code.ts';

/**
 * Gives the sender of a delivered or kept submission a code. The sender of a drop gets a code that proves nothing.
 * Without RECEIPT_SECRET there is none: nothing is lost over it.
 */
export const giveReceipt: ReceiptOf = async (outcome, form, { receivedAt, sent, taken }, settings) => {
  const [secret] = settings.receiptSecrets;
  const { id, fields } = form;
  if (secret === undefined) return undefined;
  if (outcome.kind === 'dropped') {
    // Its hash is the right one, as anybody can tell who sent it.
    const hash = contentHash(contentOf(fields, sent ?? new Map(), noFiles));
    return doubleOptIn.of(form) ? undefined : decoyCode(secret, { form: id, at: receivedAt, hash });
  }
  if (outcome.kind !== 'delivered' || outcome.byNobody || !taken) return undefined;
  const hash = contentHash(contentOf(fields, taken.values, taken.files));
  return receiptCode(secret, { form: id, at: taken.receivedAt, hash });
};
