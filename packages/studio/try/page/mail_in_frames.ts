import type { Arrival } from '../../src/browser/client/story_list.ts';

/** Mails in stories, which are shown in frames as the form is: the studio's own have addresses on its server. */
/** The story, with frames that wait for their mail. */
export function mailInFrames<T extends Pick<Arrival, 'html'>>(arrival: T): T {
  const template = document.createElement('template');
  template.innerHTML = arrival.html;
  for (const frame of template.content.querySelectorAll('iframe')) {
    frame.dataset.mail = frame.getAttribute('src') ?? '';
    frame.removeAttribute('src');
    // What is in the mail runs no script: its policy says so.
    frame.setAttribute('sandbox', 'allow-scripts');
  }
  for (const link of template.content.querySelectorAll('a[target]')) link.remove();
  return { ...arrival, html: template.innerHTML };
}
