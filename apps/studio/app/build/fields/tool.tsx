import { Icon, type IconName } from '../../icons.tsx';

interface ToolProps {
  readonly icon: IconName;
  readonly name: string;
  /** Finds the button again after its row was moved. */
  readonly part?: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

/** A button with an icon alone. */
export const Tool = ({ icon, name, part, disabled, onClick }: ToolProps) => (
  <button
    type="button"
    class="b-tool"
    aria-label={name}
    title={name}
    data-part={part}
    // A disabled button would lose the keyboard, such as when a field came to the top.
    aria-disabled={disabled || undefined}
    onClick={() => !disabled && onClick()}
  >
    <Icon name={icon} />
  </button>
);

interface ItemProps {
  /** Its place in a list, and how many there are. */
  readonly index: number;
  readonly count: number;
  readonly name: string;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** Moves and removes an item of a list, but not the last one. */
export const ItemTools = ({ index, count, name, onMove, onRemove }: ItemProps) => (
  <>
    <Tool icon="up" part="up" name={`Move ${name} up`} disabled={index === 0} onClick={() => onMove(-1)} />
    <Tool
      icon="down"
      part="down"
      name={`Move ${name} down`}
      disabled={index === count - 1}
      onClick={() => onMove(1)}
    />
    <Tool icon="cross" name={`Remove ${name}`} disabled={count === 1} onClick={onRemove} />
  </>
);
