import type { FormState, OutputState } from '../../src/state.ts';
import { Icon } from '../icons.tsx';
import { Options } from '../options.tsx';
import { post } from '../relay.ts';
import { showPane } from '../shell/address.ts';
import { state } from '../store.ts';
import { pointAtKey } from './point_at.ts';

/** "What is behind it": what the relay does with the form, its outputs with their switches, and what is missing here. */
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
      <p class="aside">
        Make one fail, and see what its <code>on_error</code>
        {keep && (
          <>
            {' '}
            and <code>keep</code>
          </>
        )}{' '}
        {keep ? 'do' : 'does'}.
      </p>
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
  const { type, target, onError, when, fault, faults } = output;
  const [label, works] = state.value?.isLive
    ? ['It', 'delivers for real']
    : ['Pretend it', 'takes everything'];
  const id = `fault-${index}`;
  const show = () => {
    pointAtKey(`outputs.${index}`);
    showPane('config');
  };
  return (
    <li class={fault && 'failing'}>
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
      {faults.length > 0 && (
        <p class="switch">
          <label for={id}>
            <span class="unseen">
              outputs[{index}], {type}:{' '}
            </span>
            {label}
          </label>
          <select
            id={id}
            value={fault ?? ''}
            onChange={({ currentTarget: { value } }) =>
              void post('/studio/fault', { form, output: `${index}`, fault: value })
            }
          >
            <Options of={[['', works], ...faults.map(({ name, says }) => [name, says] as const)]} />
          </select>
          {fault && (
            <span class="failing">
              <Icon name="alert" /> made to fail
            </span>
          )}
        </p>
      )}
    </li>
  );
}
