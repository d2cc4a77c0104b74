/** One of several maps in a list, framed: its title, with buttons that move and remove it, and its controls. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Path } from '../../../edit/index.ts';
import { ItemTools } from '../fields/tool.tsx';
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
  const move = (by: -1 | 1) => {
    const to = index + by;
    const part = by < 0 ? 'up' : 'down';
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
        <ItemTools
          {...{ index, count }}
          name={title}
          onMove={move}
          onRemove={() => change({ do: 'remove', path: [...list, index] }, `Removed ${title}`)}
        />
      </div>
      {children}
    </fieldset>
  );
}
