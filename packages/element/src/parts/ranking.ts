/** `/api/v1/ranking.js`: an order by dragging and by buttons, over the lists that HTML has (fields/ranking.ts). */
import { eachField, makeButton } from './fields_of.ts';

export function attach(form: HTMLFormElement, _?: HTMLFormElement, send = fetch): typeof fetch {
  eachField(form, '.field-ranking', (field) => rank(form, field));
  return send;
}

function rank(form: HTMLFormElement, field: HTMLElement): void {
  const selects = [...field.querySelectorAll('select')];
  const [first] = selects;
  if (!first) return;
  const words = field.dataset as Record<'up' | 'down' | 'moved' | 'unranked' | 'keep' | 'clear', string>;
  const labels = new Map([...first.options].slice(1).map(({ value, text }) => [value, text]));
  const list = document.createElement('ol');
  const status = document.createElement('p');
  const answer = makeButton(field, 'ranking-answer');
  list.className = 'ranking-list';
  status.className = 'ranking-status';
  status.setAttribute('role', 'status');
  const chosen = () => selects.map(({ value }) => value).filter(Boolean);
  const isAnswered = () => chosen().length > 0;

  /** Writes the order into what the form sends, and tells the page. */
  const write = (order: readonly string[]) => {
    for (const [at, select] of selects.entries()) select.value = order[at] ?? '';
    first.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const showAnswer = () => {
    answer.textContent = isAnswered() ? words.clear : words.keep;
    answer.hidden = isAnswered() && first.required;
    status.textContent = isAnswered() ? '' : words.unranked;
    list.classList.toggle('ranking-unranked', !isAnswered());
  };
  const order = () => [...list.children].map((item) => (item as HTMLElement).dataset.value ?? '');
  const say = (value: string) => {
    const place = order().indexOf(value) + 1;
    status.textContent = words.moved
      .replace('{option}', () => labels.get(value) ?? '')
      .replace('{place}', String(place));
  };
  /** The buttons at the ends stay, so that the focus does, too. */
  const showEnds = () => {
    for (const [at, item] of [...list.children].entries()) {
      const [up, down] = item.querySelectorAll('button');
      up?.setAttribute('aria-disabled', String(at === 0));
      down?.setAttribute('aria-disabled', String(at === labels.size - 1));
    }
  };
  const move = (item: Element, by: -1 | 1) => {
    const other = by < 0 ? item.previousElementSibling : item.nextElementSibling;
    if (by < 0) other?.before(item);
    else other?.after(item);
    moved(item as HTMLElement);
  };
  const moved = (item: HTMLElement) => {
    write(order());
    showEnds();
    say(item.dataset.value ?? '');
  };

  const makeItem = (value: string) => {
    const item = document.createElement('li');
    const label = document.createElement('span');
    const handle = document.createElement('span');
    item.dataset.value = value;
    label.textContent = labels.get(value) ?? '';
    handle.className = 'ranking-handle';
    handle.textContent = '≡';
    handle.ariaHidden = 'true';
    handle.style.touchAction = 'none';
    item.append(handle, ' ', label);
    for (const [word, sign, by] of [
      [words.up, '↑', -1],
      [words.down, '↓', 1],
    ] as const) {
      const button = makeButton(field);
      button.textContent = sign;
      button.setAttribute(
        'aria-label',
        word.replace('{option}', () => labels.get(value) ?? ''),
      );
      button.addEventListener('click', () => {
        move(item, by);
        button.focus();
      });
      item.append(' ', button);
    }
    item.addEventListener('pointerdown', (down) => {
      const on = down.target as Element;
      // A finger scrolls the page, but on the handle.
      if (down.button !== 0 || on.closest('button') || (down.pointerType === 'touch' && on !== handle))
        return;
      down.preventDefault();
      const before = order().join('\n');
      item.setPointerCapture(down.pointerId);
      item.classList.add('ranking-dragged');
      const drag = ({ clientY }: PointerEvent) => {
        const above = [...list.children].find((other) => {
          const { top, height } = other.getBoundingClientRect();
          return other !== item && clientY < top + height / 2;
        });
        if (above) {
          if (item.nextElementSibling !== above) above.before(item);
        } else if (item.nextElementSibling) list.append(item);
        // A browser gives up the capture when the element moves.
        if (!item.hasPointerCapture(down.pointerId)) item.setPointerCapture(down.pointerId);
      };
      const end = () => {
        item.removeEventListener('pointermove', drag);
        item.classList.remove('ranking-dragged');
        if (order().join('\n') !== before) moved(item);
      };
      item.addEventListener('pointermove', drag);
      item.addEventListener('pointerup', end, { once: true });
      item.addEventListener('pointercancel', end, { once: true });
    });
    return item;
  };

  /** As the form has it: at first, after a reset, and when the browser filled it in again. */
  const show = () => {
    const known = [...new Set(chosen())];
    list.replaceChildren(
      ...[...known, ...[...labels.keys()].filter((value) => !known.includes(value))].map(makeItem),
    );
    showEnds();
    showAnswer();
  };
  answer.addEventListener('click', () => {
    write(isAnswered() ? [] : order());
    if (answer.hidden) list.querySelector('button')?.focus();
  });
  // Another script may have chosen.
  field.addEventListener('change', () => {
    const now = chosen();
    if (now.join('\n') === order().slice(0, now.length).join('\n')) showAnswer();
    else show();
  });
  form.addEventListener('reset', () => setTimeout(show));
  addEventListener('pageshow', show);
  // An error moves the focus to the first list, which nobody sees now.
  first.addEventListener('focus', () => list.querySelector('button')?.focus());
  show();
  for (const { parentElement: place } of selects) if (place) place.hidden = true;
  field.append(list, status, answer);
}
