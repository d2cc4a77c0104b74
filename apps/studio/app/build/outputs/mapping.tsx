/** The mapping of an output: the receiver's names on one side, the form's fields on the other. */

import { Options } from '@form-relay/ui/controls';
import { useRef, useState } from 'preact/hooks';
import type { Path } from '../../../edit/model.ts';
import { ProblemList } from '../../code/problems.tsx';
import { type Field, isMap } from '../../schema_nodes.ts';
import type { ControlProps } from '../settings/controls.tsx';
import { change } from '../settings/draft.ts';
import { AsText, Frame } from '../settings/frame.tsx';
import { emptiest, fieldsOf, held, inWords, problemsAt } from '../settings/places.ts';
import { AddRow, KeyInput, RemoveButton } from '../settings/rows.tsx';

interface MappingProps extends ControlProps {
  /** Names of the receiver that the recipe has and this output does not. */
  readonly suggested: readonly string[];
  /** Without a mapping, it sends every field. */
  readonly sendsAll: boolean;
}

export function Mapping({ suggested, sendsAll, ...props }: MappingProps) {
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
              <Rows path={path} mapping={isRows ? mapping : {}} fields={fields} suggested={suggested} />
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
  readonly mapping: { readonly [key: string]: unknown };
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
            <FieldSelect
              of={key}
              value={String(field)}
              fields={fields}
              onChange={(name) => connect(key, name)}
            />
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
            <FieldSelect of={key} value="" fields={fields} onChange={(name) => connect(key, name)} />
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
