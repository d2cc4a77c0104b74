/** Controls for keys that name another part of the form: a field, or an output. */
import type { ComponentChildren } from 'preact';
import { textOf } from '../../fields_in.ts';
import { isMap, listOf } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import { requiring } from '../fields/names.ts';
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

/** Whose server carries a mail to visitors: an output's, or one of its own, whose settings are the children. */
export function ThroughControl({
  children,
  ...props
}: ControlProps & { readonly children: ComponentChildren }) {
  const { path } = props;
  const stored = held(path) ?? undefined;
  const outputs = listOf(held([...path.slice(0, 2), 'outputs'])).flatMap((output, index) =>
    isMap(output) && /^(smtp|email)$/.test(String(output.type))
      ? [[index, `Output ${index + 1}: ${textOf(output.type)}, ${textOf(output.to) ?? ''}`] as const]
      : [],
  );
  const own = { smtp: 'A mail server of its own', email: 'The mail server of the environment' };
  return (
    <>
      <Frame {...props}>
        {(named) => (
          <Select
            {...named}
            choices={[...outputs.map(([index]) => index), ...Object.keys(own)]}
            inWords={{ ...Object.fromEntries(outputs), ...own }}
            value={isMap(stored) ? stored.type : stored}
            empty="The first output that sends mails"
            onPick={(value) =>
              put(
                path,
                typeof value !== 'string'
                  ? value
                  : {
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
