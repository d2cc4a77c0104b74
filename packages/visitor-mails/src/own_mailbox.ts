import type { Schema } from '@form-relay/core/index';
import { hintOfMailbox, parseMailbox, schemaLike, shown, text } from '@form-relay/core/kit';
import type { Mailbox } from '@form-relay/core/services';

/** A sender: one address, alone or with a name. */
export const ownMailbox: Schema<Mailbox> = schemaLike(text(), (value, at) => {
  const written = text()(value, at);
  if (written === undefined) return undefined;
  return (
    parseMailbox(written) ??
    at.error(
      `found ${shown(written, at)}; expected one address like forms@example.com, or one with a name: Example <forms@example.com>${hintOfMailbox(written)}`,
    )
  );
});
