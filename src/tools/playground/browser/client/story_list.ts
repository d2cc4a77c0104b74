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
  /** What is to be clicked in the mail for which it waits. */
  link?: string;
}
/** Who wants to know of each that comes. */
export const onArrival = new Set<(arrival: Arrival) => void>();
const stories = byId('stories');
/** The number of the last story that came. */
export let latestNumber = document.body.dataset.last ?? '0';
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
  if (document.getElementById(story.id)) return;
  latestNumber = story.dataset.number ?? latestNumber;
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
