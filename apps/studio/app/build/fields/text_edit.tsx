/** A text that is written after a pause, on Enter and on leaving it. */
import { useId } from 'preact/hooks';
import type { Path } from '../../../edit/index.ts';
import { ProblemList } from '../../problem.tsx';
import { pathText, problemsAt, TextInput, useDraft } from '../settings/index.ts';

export interface TextEditProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** Below the control. */
  readonly help?: string;
  /** Where its problems are. */
  readonly path?: Path;
  readonly placeholder?: string;
  readonly isLong?: boolean;
  readonly isCode?: boolean;
  readonly part?: string;
  /** Why the text that is being typed is not written. */
  readonly refusal?: (text: string) => string | undefined;
}

export function TextEdit(props: TextEditProps) {
  const { label, value, onText, help, path, placeholder, isLong, isCode, part, refusal } = props;
  const id = useId();
  const draft = useDraft(value, onText);
  const problems = path ? problemsAt(path) : [];
  const refused = refusal?.(draft.text);
  const described = [help && `${id}-help`, refused && `${id}-refused`, problems.length > 0 && `${id}-problem`]
    .filter(Boolean)
    .join(' ');
  return (
    <div class={`set-control${isCode ? ' b-code' : ''}`} data-part={part} data-path={path && pathText(path)}>
      <label class="set-name" for={id}>
        {label}
      </label>
      <TextInput
        id={id}
        aria-describedby={described || undefined}
        aria-invalid={
          refused !== undefined || problems.some(({ severity }) => severity === 'error') || undefined
        }
        draft={draft}
        hint={placeholder}
        isLong={isLong}
      />
      {refused && (
        <p class="b-bad" id={`${id}-refused`} role="alert">
          {refused}
        </p>
      )}
      <ProblemList problems={problems} id={`${id}-problem`} />
      {help && (
        <p class="set-help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}
