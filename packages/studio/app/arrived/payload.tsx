import type { Payload } from '@form-relay/core/submission';
import type { ComponentChildren } from 'preact';

/** Names and values, as a table. `nameOf`: how a name is shown. */
export const PayloadTable = ({
  of,
  nameOf = (name) => name,
}: {
  readonly of: Payload;
  readonly nameOf?: (name: string) => ComponentChildren;
}) => (
  <table>
    {of.map(([name, values]) => (
      <tr key={name}>
        <th scope="row">{nameOf(name)}</th>
        <td>{values.map(oneValue)}</td>
      </tr>
    ))}
  </table>
);

const oneValue = (value: string) => <div>{value === '' ? <i>empty</i> : value}</div>;
