/** An output in the list, collapsed or with its settings. */

import { Button, Options } from '@form-relay/ui/controls';
import { useRef, useState } from 'preact/hooks';
import { isMap, type JsonMap, mapOf, type Path } from '../../../edit/model.ts';
import type { OutputState } from '../../../src/state.ts';
import { isToDo, ProblemList } from '../../code/problems.tsx';
import { Linked } from '../../prose.tsx';
import type { Field } from '../../schema_nodes.ts';
import { config, settle } from '../../store.ts';
import type { ControlProps } from '../settings/controls.tsx';
import { change } from '../settings/draft.ts';
import { AsText, Frame, ProblemCount } from '../settings/frame.tsx';
import { emptiest, fieldsOf, held, inWords, problemsAt, problemsWithin } from '../settings/places.ts';
import { AddRow, KeyInput, RemoveButton } from '../settings/rows.tsx';
import { Settings } from '../settings/settings.tsx';
import { ConnectMail } from './connect.tsx';
import { gallery } from './gallery.tsx';
import { isMailOutput, loginKeys } from './mail_account.ts';
import {
  type Output,
  type Recipe,
  recipeOf,
  titleOf,
  typeTitle,
  unmapped,
  variablesToSet,
} from './recipes.ts';

interface CardProps {
  readonly path: Path;
  readonly output: Output;
  readonly index: number;
  readonly status: OutputState | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onRemove: (name: string) => void;
}

/** Labels for people who have never set up a mail server. */
const labels = { to: 'Recipients', reply_to: 'Replies go to', on_error: 'If it fails', when: 'Only if' };

export function OutputCard(props: CardProps) {
  const { path, output, index, status, isOpen } = props;
  const recipes = gallery.value ?? [];
  const recipe = recipeOf(output, recipes);
  const name = recipe ? titleOf(recipe) : typeTitle(String(output.type ?? 'Output'), recipes);
  const bad = problemsWithin(path).filter(({ severity }) => severity === 'error');
  const why = config.value.whyText(path);
  const id = `output-${index}`;
  return (
    <article class={`out-card${isOpen ? ' out-isopen' : ''}`} aria-labelledby={`${id}-name`}>
      <Button
        class="out-open"
        aria-expanded={isOpen}
        onClick={() => {
          settle();
          props.onOpen(!isOpen);
        }}
      >
        <span class="out-name" id={`${id}-name`}>
          {name}
        </span>
        <span class="out-target">{targetOf(output, status)}</span>
      </Button>
      <p class="out-facts">
        <code>{String(output.type ?? '')}</code>
        <span>{output.on_error === 'continue' ? 'May fail' : 'Must arrive'}</span>
        {output.when !== undefined && (
          <span>{status?.when ? `Only if ${status.when}` : 'Only sometimes'}</span>
        )}
        {problemsWithin(path).some(isToDo) && <b>Address to fill in</b>}
        <ProblemCount of={bad} />
      </p>
      {isOpen && (
        <div class="out-body">
          <ProblemList problems={problemsAt(path)} />
          {why === undefined ? <Opened {...props} recipe={recipe} /> : <AsText path={path} why={why} />}
          <div class="out-foot">
            <Button class="out-button out-danger" onClick={() => props.onRemove(name)}>
              Delete
            </Button>
          </div>
        </div>
      )}
    </article>
  );
}

/** A mail is identified by its recipient, other outputs by their URL. */
export const targetOf = ({ to }: Output, status: OutputState | undefined): string =>
  typeof to === 'string' ? to : (status?.target ?? '');

const Opened = ({ path, output, recipe, status }: CardProps & { recipe: Recipe | undefined }) => (
  <>
    {isMailOutput(output) ? (
      <ConnectMail path={path} output={output} recipe={recipe} status={status} />
    ) : (
      <Needed output={output} recipe={recipe} />
    )}
    <Settings
      key={String(output.type)}
      path={path}
      without={[...(recipe ? ['type'] : []), ...(isMailOutput(output) ? loginKeys : [])]}
      first={['to', 'url', 'host', 'from', 'subject', 'mapping', 'on_error', 'when'].filter(isUsual(output))}
      labels={labels}
      controls={{
        mapping: (props) => (
          <Mapping {...props} suggested={unmapped(output, recipe)} sendsAll={status?.sendsAll === true} />
        ),
      }}
    />
  </>
);

/** Shows the keys that are set, such as a URL in place of the variable that contains it. */
const isUsual = (output: Output) => (key: string) =>
  key in output || ['mapping', 'on_error', 'when'].includes(key);

/** A step that the owner must take outside this page. */
function Needed({ output, recipe }: { output: Output; recipe: Recipe | undefined }) {
  const variables = variablesToSet(output, recipe);
  if (variables.length === 0 && !recipe) return null;
  return (
    <div class="out-needed">
      <h3>Still to do</h3>
      <ul>
        {variables.map(({ name, is, from }) => (
          <li key={name}>
            Set <code>{name}</code> in the environment
            {is && <Linked text={`: ${is}${from ? `, from ${from}` : ''}`} />}.
          </li>
        ))}
        {recipe && (
          <li>
            <code>{recipe.page}</code> explains where to find your values.
          </li>
        )}
      </ul>
    </div>
  );
}

/** An output's mapping: the receiver's names on one side, the form's fields on the other. */
interface MappingProps extends ControlProps {
  /** Receiver's names that are in the recipe, but not in this output. */
  readonly suggested: readonly string[];
  /** Whether it sends every field, as an output without a mapping does. */
  readonly sendsAll: boolean;
}

function Mapping({ suggested, sendsAll, ...props }: MappingProps) {
  const { path } = props;
  const mapping = held(path) ?? undefined;
  const fields = fieldsOf(path);
  const isRows = isMap(mapping);
  const isOdd = mapping !== undefined && mapping !== '*' && !isRows;
  return (
    <Frame {...props} label="Fields to send" isGroup>
      {() =>
        isOdd ? (
          <AsText path={path} />
        ) : (
          <>
            <select
              aria-label="Fields to send"
              value={isRows ? 'rows' : (mapping ?? '')}
              onChange={({ currentTarget: { value } }) => choose(path, value, fields, sendsAll)}
            >
              {sendsAll && <option value="">Every field, with its label</option>}
              <option value="*">Every field, under its own name</option>
              <option value="rows">Chosen fields, under the receiver's names</option>
              {!sendsAll && <option value="">No field</option>}
            </select>
            {(isRows || (mapping === undefined && suggested.length > 0)) && (
              <Rows {...{ path, fields, suggested }} mapping={mapOf(mapping)} />
            )}
          </>
        )
      }
    </Frame>
  );
}

function choose(at: Path, value: string, fields: readonly Field[], sendsAll: boolean): void {
  if (value === '*') change({ do: 'set', path: at, value: '*' }, 'Every field is sent');
  else if (value === '')
    change({ do: 'remove', path: at }, sendsAll ? 'Every field is sent' : 'No field is sent');
  else {
    const rows = Object.fromEntries(fields.map(({ name }) => [name, name]));
    change({ do: 'set', path: at, value: rows }, 'Chosen fields are sent');
  }
}

interface RowsProps {
  readonly path: Path;
  readonly mapping: JsonMap;
  readonly fields: readonly Field[];
  readonly suggested: readonly string[];
}

function Rows({ path, mapping, fields, suggested }: RowsProps) {
  const [begun, setBegun] = useState<readonly string[]>([]);
  const rows = useRef<HTMLUListElement>(null);
  const open = [...new Set([...suggested, ...begun])].filter((key) => !(key in mapping));
  const sent = new Set(Object.values(mapping).map(String));
  const unsent = fields.filter(({ name }) => !sent.has(name));
  const connect = (key: string, field: string) =>
    change({ do: 'set', path: [...path, key], value: field }, `${key} gets ${field}`);
  const select = (key: string, value: string) => (
    <FieldSelect of={key} value={value} fields={fields} onChange={(name) => connect(key, name)} />
  );
  return (
    <>
      <ul class="map-rows" ref={rows}>
        <li class="map-names" aria-hidden="true">
          <span>Receiver's name</span>
          <span>Field of this form</span>
        </li>
        {Object.entries(mapping).map(([key, field]) => (
          <li key={key} class="map-row">
            <KeyInput path={[...path, key]} of={`Receiver's name for ${String(field)}`} />
            {select(key, String(field))}
            <RemoveButton
              of={key}
              onClick={() => change({ do: 'remove', path: emptiest([...path, key]) }, `${key} is not sent`)}
            />
            <ProblemList problems={problemsAt([...path, key])} />
          </li>
        ))}
        {open.map((key) => (
          <li key={`open ${key}`} class="map-row map-open">
            <span class="map-key">{key}</span>
            {select(key, '')}
            {begun.includes(key) ? (
              <RemoveButton of={key} onClick={() => setBegun(begun.filter((one) => one !== key))} />
            ) : (
              <span class="map-hole" />
            )}
          </li>
        ))}
      </ul>
      <AddRow
        label="Add a name at the receiver"
        hint="Name at the receiver"
        onAdd={(key) => {
          setBegun([...begun, key]);
          requestAnimationFrame(() =>
            rows.current?.querySelector<HTMLElement>(':scope > li:last-child select')?.focus(),
          );
        }}
      />
      {unsent.length > 0 && <Unsent fields={unsent} onSend={(name) => connect(name, name)} />}
    </>
  );
}

interface SelectProps {
  readonly of: string;
  readonly value: string;
  readonly fields: readonly Field[];
  readonly onChange: (name: string) => void;
}

function FieldSelect({ of, value, fields, onChange }: SelectProps) {
  const isGone = value !== '' && !fields.some(({ name }) => name === value);
  return (
    <select
      aria-label={`Field for ${of}`}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {value === '' && <option value="">Choose a field</option>}
      {isGone && <option value={value}>{value} (no such field)</option>}
      <Options of={fields.map((field) => [field.name, inWords(field)])} />
    </select>
  );
}

const Unsent = ({ fields, onSend }: { fields: readonly Field[]; onSend: (name: string) => void }) => (
  <div class="map-unsent">
    <span id="map-unsent">Not sent:</span>
    <ul aria-labelledby="map-unsent">
      {fields.map(({ name }) => (
        <li key={name}>
          <button
            type="button"
            class="map-chip"
            aria-label={`Send ${name} under its own name`}
            onClick={() => onSend(name)}
          >
            {name}
          </button>
        </li>
      ))}
    </ul>
  </div>
);
