/** The frame around every control: label, key, help, and the relay's problems. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Path } from '../../../edit/model.ts';
import type { ProblemState } from '../../../src/state.ts';
import { ProblemList } from '../../code/problems.tsx';
import { Prose } from '../../prose.tsx';
import { words } from '../../schema_nodes.ts';
import { config, editor } from '../../store.ts';
import { pathText, problemsAt } from './places.ts';

export interface FrameProps {
  readonly path: Path;
  /** Default: the key in words. */
  readonly label?: string;
  /** The manual's description. */
  readonly help?: string;
  readonly isRequired?: boolean;
  /** Whether it is a group of controls, whose name is a legend. */
  readonly isGroup?: boolean;
  /** Shown next to the label. */
  readonly trailing?: ComponentChildren;
}

/** Attributes that a frame passes to its control. */
export interface Named {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

export function Frame({
  children,
  ...props
}: FrameProps & { children: (named: Named) => ComponentChildren }) {
  const { path, help = '', isRequired, isGroup, trailing } = props;
  const id = useId();
  const problems = problemsAt(path);
  const key = path.at(-1);
  const label = props.label ?? words(String(key));
  const described = [help && `${id}-help`, problems.length > 0 && `${id}-problem`].filter(Boolean).join(' ');
  const isBad = problems.some(({ severity }) => severity === 'error');
  const name = (
    <>
      {label} {typeof key === 'string' && label.toLowerCase() !== key && <code class="set-key">{key}</code>}
      {isRequired && <span class="set-needed"> needed</span>}
    </>
  );
  const named: Named = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': isBad || undefined,
  };
  const attributes = isGroup
    ? { role: 'group' as const, 'aria-labelledby': `${id}-name`, 'aria-describedby': described || undefined }
    : {};
  return (
    <div class={`set-control${isBad ? ' set-bad' : ''}`} data-path={pathText(path)} {...attributes}>
      <div class="set-head">
        {isGroup ? (
          <span class="set-name" id={`${id}-name`}>
            {name}
          </span>
        ) : (
          <label class="set-name" for={id}>
            {name}
          </label>
        )}
        {trailing}
      </div>
      {children(named)}
      <ProblemList problems={problems} id={`${id}-problem`} />
      {help && <Help text={help} id={`${id}-help`} of={label} />}
    </div>
  );
}

/** The first sentence, with the rest behind "more". */
export function Help({ text, id, of }: { text: string; id?: string; of: string }) {
  const [isOpen, setOpen] = useState(false);
  const [, first = text, rest = ''] =
    /^((?:`[^`]*`|[^`])*?(?:[^.\s`]{2}|`[^`]*`)[.:])\s+(.+)$/s.exec(text) ?? [];
  return (
    <p class="set-help">
      <span id={id}>
        <Prose text={isOpen ? text : first.replace(/:$/, '.')} />
      </span>
      {rest && (
        <button
          type="button"
          class="set-more"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Less' : 'More'} about ${of}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'less' : 'more'}
        </button>
      )}
    </p>
  );
}

/** The number of problems, if any. */
export const ProblemCount = ({ of }: { of: readonly ProblemState[] }) =>
  of.length > 0 ? (
    <span class="set-badcount">{of.length === 1 ? '1 problem' : `${of.length} problems`}</span>
  ) : null;

/** A note for keys whose other kinds of values need the text editor. */
export const OtherKinds = ({ path }: { path: Path }) => (
  <AsText path={path} why="Other values, as described here." />
);

/** A part that can only be edited as text. */
export function AsText({ path, why }: { path: Path; why?: string | undefined }) {
  const isThere = config.value.rangeOf(path) !== undefined;
  return (
    <p class="set-astext">
      <span>Edited as text{why ? `: ${why.charAt(0).toLowerCase()}${why.slice(1)}` : '.'}</span>
      <button type="button" onClick={() => editor.value?.show(isThere ? path : path.slice(0, -1))}>
        {isThere ? 'Show the line' : 'Show where'}
      </button>
    </p>
  );
}

export const TextOnly = ({ why, ...props }: FrameProps & { readonly why?: string }) => (
  <Frame {...props} isGroup>
    {() => <AsText path={props.path} why={why} />}
  </Frame>
);
