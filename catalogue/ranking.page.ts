/**
 * `/api/v1/ranking.js`: sorting by dragging, with buttons and by keyboard, on top of the lists that the form
 * has without scripts.
 */
import { addStyle, eachField, make, makeButton, makeStatus } from './page_tools.ts';

const style = `
.ranking-list{margin:.5em 0;padding:0;list-style:none;counter-reset:place}
.ranking-list>li{display:flex;align-items:center;gap:.5em;padding:.25em 0;counter-increment:place;cursor:grab;user-select:none}
.ranking-list>li::before{content:counter(place) ".";min-inline-size:1.5em}
.ranking-unranked>li::before{content:"–"}
.ranking-list>li>span:nth-child(2){flex:1 1 6em;min-inline-size:0}
.ranking-handle{padding:.5em .25em;touch-action:none}
.ranking-list button{min-inline-size:2.75em;min-block-size:2.75em;padding:.375em}
.ranking-list button[aria-disabled=true]{opacity:.6}
.ranking-dragged{outline:2px solid;cursor:grabbing}
.ranking-status{margin:.25em 0}
.ranking-places{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);margin:0}
.field-ranking{position:relative}`;

export function attach(form: HTMLFormElement, _?: HTMLElement, send = fetch): typeof fetch {
  addStyle(form, style);
  eachField(form, '.field-ranking', (field) => rank(form, field));
  return send;
}

type Words = Record<'up' | 'down' | 'moved' | 'unranked' | 'keep' | 'clear', string>;

function rank(form: HTMLFormElement, field: HTMLElement): void {
  const selects = [...field.querySelectorAll('select')];
  const [first] = selects;
  if (!first) return;
  const words = field.dataset as Words;
  const isRequired = first.required;
  const labels = new Map([...first.options].slice(1).map(({ value, text }) => [value, text]));
  const list = make('ol', 'ranking-list');
  const status = makeStatus('ranking-status');
  const answer = makeButton(field, 'ranking-answer');
  const chosen = () => selects.map(({ value }) => value).filter(Boolean);
  const order = () => [...list.children].map((item) => (item as HTMLElement).dataset.value ?? '');

  const showAnswer = () => {
    const isAnswered = chosen().length > 0;
    answer.textContent = isAnswered ? words.clear : words.keep;
    answer.hidden = isAnswered && isRequired;
    list.classList.toggle('ranking-unranked', !isAnswered);
    status.textContent = isAnswered ? '' : words.unranked;
  };
  /** Writes the order into the form's lists, and notifies the page. */
  const write = (values: readonly string[]) => {
    for (const [at, select] of selects.entries()) select.value = values[at] ?? '';
    first.dispatchEvent(new Event('change', { bubbles: true }));
  };
  /** The buttons at the ends stay enabled, so that they keep the focus. */
  const showEnds = () => {
    for (const [at, item] of [...list.children].entries()) {
      const [up, down] = item.querySelectorAll('button');
      up?.setAttribute('aria-disabled', String(at === 0));
      down?.setAttribute('aria-disabled', String(at === labels.size - 1));
    }
  };
  const moved = (value: string) => {
    write(order());
    showEnds();
    status.textContent = words.moved
      .replace('{option}', () => labels.get(value) ?? '')
      .replace('{place}', String(order().indexOf(value) + 1));
  };

  const makeItem = (value: string) => {
    const label = labels.get(value) ?? '';
    const handle = make('span', 'ranking-handle', '≡');
    handle.ariaHidden = 'true';
    const item = make('li', '', handle, make('span', '', label));
    item.dataset.value = value;
    const move = (isUp: boolean) => {
      const other = isUp ? item.previousElementSibling : item.nextElementSibling;
      if (!other) return;
      if (isUp) other.before(item);
      else other.after(item);
      moved(value);
    };
    for (const [word, sign, isUp] of [
      [words.up, '↑', true],
      [words.down, '↓', false],
    ] as const) {
      const button = makeButton(field, '');
      button.textContent = sign;
      button.setAttribute(
        'aria-label',
        word.replace('{option}', () => label),
      );
      button.addEventListener('click', () => {
        move(isUp);
        button.focus();
      });
      item.append(button);
    }
    item.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
      event.preventDefault();
      const focused = event.target as HTMLElement;
      move(event.key === 'ArrowUp');
      focused.focus();
    });
    item.addEventListener('pointerdown', (down) => drag(item, handle, down, () => moved(value)));
    return item;
  };

  /** Shows the order in the form: initially, after a reset, and when a browser or another script has changed it. */
  const show = () => {
    const known = [...new Set(chosen())];
    const others = [...labels.keys()].filter((value) => !known.includes(value));
    list.replaceChildren(...[...known, ...others].map(makeItem));
    showEnds();
    showAnswer();
  };
  answer.addEventListener('click', () => {
    write(chosen().length > 0 ? [] : order());
    if (answer.hidden) list.querySelector('button')?.focus();
  });
  field.addEventListener('change', () => {
    const now = chosen();
    if (now.join('\n') === order().slice(0, now.length).join('\n')) showAnswer();
    else show();
  });
  form.addEventListener('reset', () => setTimeout(show));
  addEventListener('pageshow', show);

  // The lists stay in the page, because browsers show their errors there and move the focus to them.
  const places = make('div', 'ranking-places');
  places.ariaHidden = 'true';
  places.append(...selects.map(({ parentElement }) => parentElement as HTMLElement));
  for (const select of selects) {
    select.tabIndex = -1;
    select.addEventListener('focus', () => list.querySelector('button')?.focus());
  }
  field.append(places, list, status, answer);
  show();
}

/** Touch scrolls the page, except on the handle. */
function drag(item: HTMLElement, handle: Element, down: PointerEvent, moved: () => void): void {
  const on = down.target as Element;
  if (down.button !== 0 || on.closest('button') || (down.pointerType === 'touch' && on !== handle)) return;
  down.preventDefault();
  const list = item.parentElement as HTMLElement;
  const places = () => [...list.children];
  const from = places().indexOf(item);
  item.classList.add('ranking-dragged');
  const follow = ({ clientY }: PointerEvent) => {
    const below = places().find((other) => {
      const { top, height } = other.getBoundingClientRect();
      return other !== item && clientY < top + height / 2;
    });
    if (below && item.nextElementSibling !== below) below.before(item);
    else if (!below && item.nextElementSibling) list.append(item);
  };
  const end = () => {
    for (const type of ['pointerup', 'pointercancel']) removeEventListener(type, end);
    removeEventListener('pointermove', follow);
    item.classList.remove('ranking-dragged');
    if (places().indexOf(item) !== from) moved();
  };
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, end);
  addEventListener('pointermove', follow);
}
