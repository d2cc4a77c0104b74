/** One of several maps in a list, framed: its title, with buttons that move and remove it, and its controls. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Path } from '../../../edit/index.ts';
import { Tool } from '../fields/tool.tsx';
import { change } from './draft.ts';

interface EntryProps {
  readonly list: Path;
  readonly index: number;
  readonly count: number;
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Entry({ list, index, count, title, children }: EntryProps) {
  const frame = useRef<HTMLFieldSetElement>(null);
  const move = (part: 'up' | 'down') => {
    const to = index + (part === 'up' ? -1 : 1);
    if (!change({ do: 'move', path: list, from: index, to }, `Moved ${title}`)) return;
    // The keyboard goes along with what it moved.
    frame.current?.parentElement?.querySelectorAll<HTMLElement>(`[data-part="${part}"]`)[to]?.focus();
  };
  return (
    <fieldset class="set-entry" ref={frame}>
      <legend class="unseen">{title}</legend>
      <div class="set-entry-head">
        <span class="set-name" aria-hidden="true">
          {title}
        </span>
        <Tool
          icon="up"
          part="up"
          name={`Move ${title} up`}
          disabled={index === 0}
          onClick={() => move('up')}
        />
        <Tool
          icon="down"
          part="down"
          name={`Move ${title} down`}
          disabled={index === count - 1}
          onClick={() => move('down')}
        />
        <Tool
          icon="cross"
          name={`Remove ${title}`}
          disabled={count === 1}
          onClick={() => change({ do: 'remove', path: [...list, index] }, `Removed ${title}`)}
        />
      </div>
      {children}
    </fieldset>
  );
}
