/** Shows the mails of stories (mail_in_frames.ts), each when it is first in view. */
import { load } from './frames.ts';
import { ask } from './relay.ts';

const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

const show = async (frame: HTMLIFrameElement) => {
  const { mail = '' } = frame.dataset;
  delete frame.dataset.mail;
  const [framed, answer] = await Promise.all([load(frame), ask(mail)]);
  if (answer?.ok) framed.post({ kind: 'show', markup: answer.text, policy: mailPolicy });
};

const inView = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    const frame = target as HTMLIFrameElement;
    if (isIntersecting && frame.dataset.mail !== undefined) void show(frame);
  }
});
export function watchMails(stories: HTMLElement): void {
  new MutationObserver(() => {
    for (const frame of stories.querySelectorAll('iframe[data-mail]')) inView.observe(frame);
  }).observe(stories, { childList: true, subtree: true });
}
