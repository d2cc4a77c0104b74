/** Boxes to tick beside their words. */
import type { ComponentChildren } from 'preact';

interface CheckProps {
  readonly isOn: boolean;
  readonly onTick: (isOn: boolean) => void;
  readonly children: ComponentChildren;
}

export const Check = ({ isOn, onTick, children }: CheckProps) => (
  <label class="b-check">
    <input type="checkbox" checked={isOn} onChange={({ currentTarget: { checked } }) => onTick(checked)} />
    {children}
  </label>
);
