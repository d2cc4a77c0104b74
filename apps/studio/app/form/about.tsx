import type { FormState, OutputState } from '../../src/state.ts';
import { showPane } from '../shell/address.ts';
import { showPath } from '../store.ts';

/** "What is behind it": what the relay does with the form, its outputs, and what is missing here. */
export function About({ form }: { readonly form: FormState }) {
  const { checks, fieldCount, outputs, keep, notes, id } = form;
  return (
    <details id="about">
      <summary>What is behind it</summary>
      <h2>Checks</h2>
      <dl>
        {checks.map(({ name, says }) => [<dt key={name}>{name}</dt>, <dd key={`${name} says`}>{says}</dd>])}
        <dt>validation</dt>
        <dd>of {fieldCount === 1 ? '1 field' : `${fieldCount} fields`}</dd>
      </dl>
      <h2>Outputs</h2>
      <ol>
        {outputs.map((output, index) => (
          <Output key={index} output={output} index={index} form={id} />
        ))}
      </ol>
      {keep && (
        <>
          <h2>Keep</h2>
          <p>{keep}</p>
        </>
      )}
      {notes.length > 0 && (
        <>
          <h2>On this machine</h2>
          <ul class="notes">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}

interface OutputProps {
  readonly output: OutputState;
  readonly index: number;
  readonly form: string;
}

function Output({ output, index, form }: OutputProps) {
  const { type, target, onError, when } = output;
  const show = () => {
    showPath(['forms', form, 'outputs', index]);
    showPane('config');
  };
  return (
    <li>
      <p class="kind">
        <button type="button" class="key" title="Show it in the config" onClick={show}>
          <code>{type}</code>
        </button>{' '}
        <span>on_error: {onError}</span>
      </p>
      <p class="to">
        {target || `no such output type: every submission${when ? ' to it' : ''} is answered 500`}
      </p>
      {when && <p class="aside">Only when {when}.</p>}
    </li>
  );
}
