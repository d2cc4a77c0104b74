/** Controls for keys that name a field, or a mail server. */
import type { ComponentChildren } from 'preact';
import { isMap } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import { requiring } from '../fields/form_model.ts';
import { ChoiceControl, type ControlProps, nameOf, put, Select } from './controls.tsx';
import { Frame } from './frame.tsx';
import { fieldsOf, held } from './places.ts';

/** The field by whose value each is taken once, or whose address gets a mail. */
export function FieldControl(props: ControlProps) {
  const { path } = props;
  const isAddress = path.at(-1) === 'to';
  const fields = fieldsOf(path).filter(({ type }) => (isAddress ? type === 'email' : type !== 'file'));
  return (
    <ChoiceControl
      {...props}
      choices={fields.map(({ name }) => name)}
      also={(value) =>
        isAddress && path[2] !== 'double_opt_in' ? [] : requiring(path.slice(0, 2), value, config.value.value)
      }
    />
  );
}

/** The server that carries a mail to visitors, whose settings are the children. */
export function ThroughControl({
  children,
  ...props
}: ControlProps & { readonly children: ComponentChildren }) {
  const { path } = props;
  const stored = held(path) ?? undefined;
  const own = { smtp: 'A mail server of its own', email: 'The mail server of the environment' };
  return (
    <>
      <Frame {...props}>
        {(named) => (
          <Select
            {...named}
            choices={Object.keys(own)}
            inWords={own}
            value={isMap(stored) ? stored.type : stored}
            empty="The first output that sends mails"
            onPick={(value) =>
              put(
                path,
                value && {
                  type: value,
                  ...(value === 'smtp' && { host: 'smtp.example.com', from: 'website@example.com' }),
                },
                nameOf(props),
              )
            }
          />
        )}
      </Frame>
      {isMap(stored) && children}
    </>
  );
}
