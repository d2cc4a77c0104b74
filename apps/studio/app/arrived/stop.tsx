import { Icon, type IconName } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import type { Path } from '../../edit/model.ts';
import type { Tone } from '../../src/state.ts';
import { showPath } from '../store.ts';

export interface Stopped {
  /** `off`: the submission passed it by. */
  readonly tone: Tone | 'off';
  readonly icon: IconName;
  readonly title: ComponentChildren;
  /** The path of the key in the config. */
  readonly path?: Path;
  readonly says: ComponentChildren;
  /** Where it went. */
  readonly to?: string;
  readonly children?: ComponentChildren;
}

/** A stop of a submission on its way. */
export const Stop = ({ tone, icon, title, path, says, to, children }: Stopped) => (
  <li class={tone}>
    <span class="dot">
      <Icon name={icon} />
    </span>
    <p>
      {path === undefined ? <b>{title}</b> : <Key pathOf={() => path}>{title}</Key>}{' '}
      <span class="says">
        {says}
        {to && <span class="to"> → {to}</span>}
      </span>
    </p>
    {children}
  </li>
);

/** A button that shows a place in the config. `pathOf` runs at the click, since the config may change. */
export const Key = ({
  pathOf,
  children,
}: {
  readonly pathOf: () => Path;
  readonly children: ComponentChildren;
}) => (
  <button type="button" class="key" title="Show it in the config" onClick={() => showPath(pathOf())}>
    {children}
  </button>
);

export const pathIn = (form: string, ...keys: Path): Path => ['forms', form, ...keys];
