/** The mail with the link of an ask. */
import { momentWords } from '@form-relay/base/time_zone';
import { renderMail } from '@form-relay/more-outputs/html_mail';
import { linkedRuns } from '@form-relay/more-outputs/templates';
import type { Link } from '@form-relay/senders/links/sealed_link';
import { ownMailCarrier } from '@form-relay/visitor-mails/own_mail';
import type { AskContext } from './ask.ts';

/** Resolves with why it was not sent, in words. */
export async function mailLink(
  kind: 'ask' | 'reminder',
  { link, url }: { readonly link: Link; readonly url: string },
  { asking, form, services, settings }: AskContext,
): Promise<string | undefined> {
  const [id, , , to = ''] = link.purpose?.data ?? [];
  const carrier = ownMailCarrier(form, services, settings);
  if (!carrier) return 'the form has no mail output';
  const locale = form.locale(undefined);
  const say = (code: string, params = {}) => locale.translate({ code, params });
  const name = locale.text(asking.name);
  const title = form.title === undefined ? form.id : locale.text(form.title);
  const time = momentWords(link.until, form.provided.get('time_zone'));
  const intro = asking.text ? locale.text(asking.text) : say('ask_note', { name, time });
  const { html, text } = renderMail({
    ...{ language: locale.language ?? 'en', direction: locale.direction ?? 'ltr', title },
    ...{ intro: linkedRuns(intro), entries: [], footer: [], look: form.provided.get('look') },
    button: { words: say('ask_open'), href: url },
  });
  const subject = `${name}: ${title}`;
  const sent = await carrier.send({
    ...{ key: `${kind} ${id}`, to, text, ...(carrier.isHtml && { html }) },
    subject: kind === 'ask' ? subject : say('ask_reminder', { subject }),
  });
  if (sent.state === 'sent' || sent.state === 'unsure') return undefined;
  return sent.why;
}
