/** The mapping of an output: the receiver's names on one side, the form's fields on the other. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Path } from '../../../edit/index.ts';
import { Options } from '../../options.tsx';
import { ProblemList } from '../../problem.tsx';
import { isMap } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import {
  AddRow,
  AsText,
  change,
  emptiest,
  type Field,
  Frame,
  fieldsOf,
  held,
  inWords,
  KeyInput,
  MapControl,
  problemsAt,
  RemoveButton,
} from '../settings/index.ts';

export interface MappingProps {
  /** The output. */
  readonly path: Path;
  /** Names of the receiver that the recipe has and this output does not. */
  readonly suggested: readonly string[];
  readonly hasStatic: boolean;
  /** Without a mapping it sends all fields, as chats and mails in HTML do. */
  readonly saysAll: boolean;
}

export function Mapping({ path, suggested, hasStatic, saysAll }: MappingProps) {
  const at = [...path, 'mapping'];
  const why = config.value.whyText(at);
  const mapping = held(at) ?? undefined;
  const fields = fieldsOf(path);
  const isRows = isMap(mapping);
  const isOdd = mapping !== undefined && mapping !== '*' && !isRows;
  return (
    <>
      <Frame path={at} label="What it sends" isGroup>
        {() =>
          why !== undefined || isOdd ? (
            <AsText path={at} why={why} />
          ) : (
            <>
              <select
                aria-label="What it sends"
                value={isRows ? 'rows' : (mapping ?? '')}
                onChange={({ currentTarget: { value } }) => choose(at, value, fields)}
              >
                {saysAll && <option value="">Every field, with its label</option>}
                <option value="*">Every field, under its own name</option>
                <option value="rows">Chosen fields, under the receiver's names</option>
                {!saysAll && <option value="">No field</option>}
              </select>
              {(isRows || (mapping === undefined && suggested.length > 0)) && (
                <Rows path={at} mapping={isRows ? mapping : {}} fields={fields} suggested={suggested} />
              )}
            </>
          )
        }
      </Frame>
      {hasStatic && (
        <MapControl
          path={[...path, 'static']}
          label="Your own words beside them"
          help="Names of the receiver with a fixed text, in which fields can be inserted."
          keyLabel="name"
          isTemplate
        />
      )}
    </>
  );
}

function choose(at: Path, value: string, fields: readonly Field[]): void {
  if (value === '*') change({ do: 'set', path: at, value: '*' }, 'It sends every field');
  else if (value === '') change({ do: 'remove', path: at }, 'It has no mapping');
  else {
    const rows = Object.fromEntries(fields.map(({ name }) => [name, name]));
    change({ do: 'set', path: at, value: rows }, 'It sends chosen fields');
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
          <Row key={key} onField={(name) => connect(key, name)}>
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
          </Row>
        ))}
        {open.map((key) => (
          <Row key={`open ${key}`} isOpen onField={(name) => connect(key, name)}>
            <span class="map-key">{key}</span>
            <FieldSelect of={key} value="" fields={fields} onChange={(name) => connect(key, name)} />
            {begun.includes(key) ? (
              <RemoveButton of={key} onClick={() => setBegun(begun.filter((one) => one !== key))} />
            ) : (
              <span class="map-hole" />
            )}
          </Row>
        ))}
      </ul>
      <AddRow
        label="Add a name of the receiver"
        hint="A name of the receiver"
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

/** A field can also be dropped onto it. */
function Row(props: { isOpen?: boolean; onField: (name: string) => void; children: ComponentChildren }) {
  const [isOver, setOver] = useState(false);
  return (
    <li
      class={`map-row${props.isOpen ? ' map-open' : ''}${isOver ? ' map-over' : ''}`}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes(dragged)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        const name = event.dataTransfer?.getData(dragged);
        if (!name) return;
        event.preventDefault();
        props.onField(name);
      }}
    >
      {props.children}
    </li>
  );
}

const dragged = 'application/x-form-field';

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
            draggable
            title="Send it under its own name, or drag it onto a row"
            aria-label={`Send ${name} under its own name`}
            onClick={() => onSend(name)}
            onDragStart={(event) => event.dataTransfer?.setData(dragged, name)}
          >
            {name}
          </button>
        </li>
      ))}
    </ul>
  </div>
);
