import type { MessageView } from '../../src/api.ts';
import { correspondentOf } from '../../src/correspondent.ts';
import { titleOf } from '../about.ts';
import { Icon } from '../icons.tsx';
import { fullTime } from '../words.ts';
import { replyTo } from './links.ts';

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
