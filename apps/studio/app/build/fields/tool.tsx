import { Icon, type IconName } from '@form-relay/ui/controls';

interface ToolProps {
  readonly icon: IconName;
  readonly name: string;
  /** Finds the button again after its row was moved. */
  readonly part?: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

/** A button with only an icon. */
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
