import { effect, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Action, isEqual, isMap, type Json, type Path } from '../../../edit/model.ts';
import { showOutputs } from '../../shell/address.ts';
import { config, selected, state } from '../../store.ts';
import { builtId, form } from '../fields/form_model.ts';
import { change } from '../settings/draft.ts';
import { AsText } from '../settings/frame.tsx';
import { fieldsOf, held } from '../settings/places.ts';
import { OutputCard } from './card.tsx';
import { Gallery, loadGallery } from './gallery.tsx';
import { isPlaceholder, type Output, outputsFor, type Recipe, titleOf } from './recipes.ts';
import './outputs.css';

/** Shown while submissions are sent nowhere. */
export function Nowhere({ onGo }: { readonly onGo?: () => void }) {
  const { outputs } = form.value;
  if (Array.isArray(outputs) && outputs.length > 0 && !isPlaceholder(outputs)) return null;
  return (
    <p class="b-next">
      <span>Submissions are not delivered anywhere yet.</span>
      <button
        type="button"
        class="b-small b-primary"
        onClick={() => {
          onGo?.();
          showOutputs(builtId.value ?? '');
        }}
      >
        Next: where should submissions go?
      </button>
    </p>
  );
}

/** "Where should submissions go?": the form's outputs. */

export function Outputs() {
  const [isAdding, setAdding] = useState(false);
  const add = useRef<HTMLButtonElement>(null);
  useEffect(() => void loadGallery(), []);
  const id = builtId.value;
  if (id === undefined) return <p class="set-help">The config has no forms yet.</p>;
  const path: Path = ['forms', id, 'outputs'];
  const why = config.value.whyText(path);
  const outputs = held(path) ?? [];
  if (why !== undefined || !Array.isArray(outputs)) return <AsText path={path} why={why} />;
  const isEmpty = isPlaceholder(outputs);
  const items: readonly Json[] = isEmpty ? [] : outputs;
  return (
    <div class="outputs">
      <h2>Where should submissions go?</h2>
      <p class="set-help">
        {items.length > 1
          ? 'Every submission goes to all outputs listed here, in no particular order.'
          : 'Every submission goes to each output listed here.'}
      </p>
      {items.length === 0 && <p class="out-none">Nothing is delivered yet. Add the first output.</p>}
      <ol class="out-list">
        {items.map((output, index) => (
          <li key={index}>
            {isMap(output) ? (
              <OutputCard
                path={[...path, index]}
                output={output}
                index={index}
                status={statusOf(items.length, index, output)}
                isOpen={isEqual(openOutput.value, [...path, index])}
                onOpen={(isOpen) => open(isOpen ? [...path, index] : undefined)}
                onRemove={(name) => {
                  if (!change({ do: 'remove', path: [...path, index] }, `Deleted ${name}`)) return;
                  open(undefined);
                  add.current?.focus();
                }}
              />
            ) : (
              <AsText path={[...path, index]} />
            )}
          </li>
        ))}
      </ol>
      <button type="button" class="out-button out-add" ref={add} onClick={() => setAdding(true)}>
        Add an output
      </button>
      {isAdding && (
        <Gallery
          onChoose={(recipe) => choose(recipe, path, items.length)}
          onClose={() => {
            setAdding(false);
            if (document.activeElement === document.body) add.current?.focus();
          }}
        />
      )}
    </div>
  );
}

/** Appends a recipe's outputs, adapted to the form, and opens the first. */
function choose(recipe: Recipe, path: Path, count: number): void {
  const made = outputsFor(recipe, fieldsOf(path));
  const hasPlaceholder = count === 0 && held([...path, 0]) !== undefined;
  const actions = made.map(
    (value, index): Action =>
      hasPlaceholder && index === 0
        ? { do: 'set', path: [...path, 0], value }
        : { do: 'insert', path, index: count + index, value },
  );
  if (!change(actions, `Added ${titleOf(recipe)}`)) return;
  open([...path, count]);
  // Waits until the list has rendered it.
  requestAnimationFrame(() =>
    document.querySelectorAll('.out-list > li')[count]?.querySelector<HTMLElement>('.out-open')?.focus(),
  );
}

/** The output whose settings are open. */
const openOutput = signal<Path | undefined>(undefined);
effect(() => {
  const path = selected.value;
  if (path?.[0] === 'forms' && path[2] === 'outputs' && typeof path[3] === 'number')
    openOutput.value = path.slice(0, 4);
});
const open = (path: Path | undefined) => {
  openOutput.value = path;
  selected.value = path;
};

/** The server's status for this output; `undefined` while the server has a different text. */
function statusOf(count: number, index: number, output: Output) {
  const known = state.value?.form?.outputs;
  return known?.length === count && known[index]?.type === output.type ? known[index] : undefined;
}
