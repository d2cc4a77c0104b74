/** Says that changes are not in the text yet, why, and leads there. */
import { type Path, pathIn } from '../../edit/model.ts';
import { drop, pending } from '../pending.ts';
import { Prose } from '../prose.tsx';
import { builderTab, go, showPane } from '../shell/address.ts';
import { say, selected } from '../store.ts';
import { builtId } from './fields/form_model.ts';
import { guardedKeys } from './guards/cards.ts';
import { pathText } from './settings/places.ts';

export function PendingNotice() {
  const problems = pending.value;
  if (!problems) return null;
  const [first] = problems;
  return (
    <section class="notice warn b-pending" aria-label="Not in the config yet" role="status">
      <p>
        <b>Not in the config yet.</b>{' '}
        {first && (
          <>
            <code>{first.path.replace(/^forms\.[^.[]+\./, '')}</code>: <Prose text={first.message} />
            {problems.length > 1 && ` (and ${problems.length - 1} more)`}
          </>
        )}
      </p>
      {first && (
        <button type="button" class="b-small" onClick={() => goTo(pathIn(first.path))}>
          Show
        </button>
      )}
      <button
        type="button"
        class="b-small"
        onClick={() => {
          drop();
          say('Taken back');
        }}
      >
        Take it back
      </button>
    </section>
  );
}

// Leads to the control of a path, wherever it is in the builder.

const tabOf = (part: string) =>
  part === 'outputs' ? 'outputs' : guardedKeys.includes(part) ? 'protection' : 'fields';

function goTo(path: Path): void {
  const [top, form, part = '', nth] = path;
  const isInForm = top === 'forms' && form !== undefined;
  if (isInForm && form !== builtId.value) go({ form: String(form) });
  showPane('build');
  builderTab.value = isInForm ? tabOf(String(part)) : 'protection';
  const isItem = typeof nth === 'number' && (part === 'fields' || part === 'outputs');
  if (isInForm) selected.value = isItem ? path.slice(0, 4) : ['forms', form];
  openFrom(path, 1);
}

/** Opens what is folded around the control, from outside in, then gives it the keyboard. */
function openFrom(path: Path, length: number): void {
  requestAnimationFrame(() => {
    const found = document.querySelector(`.b [data-path="${CSS.escape(pathText(path.slice(0, length)))}"]`);
    const fold = found?.closest('details');
    if (fold && !fold.open) fold.open = true;
    if (length < path.length) return openFrom(path, length + 1);
    let nearest: HTMLElement | null = null;
    for (let at = path.length; at > 1 && !nearest; at -= 1)
      nearest = document.querySelector(`.b [data-path="${CSS.escape(pathText(path.slice(0, at)))}"]`);
    nearest?.querySelector<HTMLElement>('input, select, textarea, button, summary')?.focus();
    nearest?.scrollIntoView({ block: 'nearest' });
  });
}
