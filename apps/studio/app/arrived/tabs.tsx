/** Tabs made of radio buttons, which the arrow keys and every screen reader know. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

export interface View {
  readonly title: string;
  readonly show: () => ComponentChildren;
}

/** Shows one view at a time; only that one is made. */
export function Tabs({ legend, views }: { readonly legend: string; readonly views: readonly View[] }) {
  const name = useId();
  const [chosen, choose] = useState(0);
  // Another attempt may have changed the list.
  const index = Math.min(chosen, views.length - 1);
  const view = views[index];
  return (
    <fieldset class="tabs">
      <legend class="unseen">{legend}</legend>
      {views.map(({ title }, at) => (
        <label key={title}>
          <input type="radio" name={name} checked={at === index} onChange={() => choose(at)} />
          <span>{title}</span>
        </label>
      ))}
      <div key={view?.title}>{view?.show()}</div>
    </fieldset>
  );
}
