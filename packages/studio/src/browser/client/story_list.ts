/** The stories of submissions, the newest first. */
import { byId, say } from './page_parts.ts';

export interface Arrival {
  html: string;
  says: string;
  word: string;
  tone: string;
  outcome: string;
  /** What the owner has of it, in words. */
  got: string;
  /** What came to the visitor by mail, in words; mostly empty. */
  visitorGot: string;
  /** Its points of doubt, and what they led to, in words. */
  doubt?: string;
  /** What is to be clicked in the mail for which it waits. */
  link?: string;
  /** Something of it is kept, and is tried by itself. */
  isWaiting: boolean;
  /** It is tried right now. */
  isDue: boolean;
}
/** Who wants to know of each that comes. */
export const onArrival = new Set<(arrival: Arrival) => void>();
/** Who wants to know how one goes on. */
export const onSequel = new Set<(arrival: Arrival) => void>();
const stories = byId('stories');
/** The version of the last story that came, or went on. */
export let latestVersion = document.body.dataset.last ?? '0';
const toast = byId<HTMLAnchorElement>('toast');
/** The one that opened itself; it closes when the next one does. */
let opened: HTMLDetailsElement | undefined;
const showEmpty = () => {
  byId('empty').hidden = stories.childElementCount > 0;
  byId('clear').hidden = stories.childElementCount === 0;
};
showEmpty();

/** Takes those out that came before this one. */
export const forget = (oldest: number) => {
  for (const story of stories.querySelectorAll<HTMLElement>('.story'))
    if (Number(story.dataset.number) < oldest) story.remove();
  if (stories.childElementCount === 0) toast.hidden = true;
  showEmpty();
};

stories.addEventListener('click', (event) => {
  // A story that the owner touched stays open.
  if (opened && event.target instanceof Element && opened.contains(event.target)) opened = undefined;
});

export const arrive = (arrival: Arrival) => {
  const { html, says, word, tone } = arrival;
  const template = document.createElement('template');
  template.innerHTML = html;
  const story = template.content.firstElementChild as HTMLDetailsElement;
  latestVersion = story.dataset.version ?? latestVersion;
  const before = document.getElementById(story.id) as HTMLDetailsElement | null;
  if (before) {
    story.open = before.open;
    story.classList.add('went-on');
    const hadFocus = before.contains(document.activeElement);
    before.replaceWith(story);
    if (hadFocus) story.querySelector('summary')?.focus();
    if (opened === before) opened = story;
    say(says);
    for (const tell of onSequel) tell(arrival);
    return;
  }
  if (opened) opened.open = false;
  story.open = true;
  opened = story;
  stories.prepend(story);
  while (stories.childElementCount > 100) stories.lastElementChild?.remove();
  showEmpty();
  say(says);
  const inbox = byId('inbox');
  if (inbox.scrollHeight > inbox.clientHeight) inbox.scrollTop = 0;
  toast.hidden = story.getBoundingClientRect().top < innerHeight - 40;
  toast.textContent = `${word}: see what happened ↓`;
  toast.className = tone;
  toast.href = `#${story.id}`;
  for (const tell of onArrival) tell(arrival);
};
toast.addEventListener('click', () => {
  toast.hidden = true;
});
