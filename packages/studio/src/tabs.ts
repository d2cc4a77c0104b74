import { attributes, type Html, html } from '@form-relay/relay/base';

export type View = readonly [title: string, content: Html];

/** Radio buttons, which the arrow keys and every screen reader know, each followed by what it shows. */
export function tabs(id: string, label: string, views: readonly View[]): Html {
  const all = views.map(
    ([title, content], index) =>
      html`<label><input${attributes({ type: 'radio', name: id, checked: index === 0 })}><span>${title}</span></label><div>${content}</div>`,
  );
  return html`<fieldset class="tabs"><legend class="unseen">${label}</legend>${all}</fieldset>`;
}
