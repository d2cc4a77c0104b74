import type { LetterField } from '../../src/api.ts';
import { linkOf } from './links.ts';

interface FieldsProps {
  readonly fields: readonly LetterField[];
  /** Of the labels: a visitor may write in any. */
  readonly language: string;
}

/** As text, in the direction that each value has by itself; addresses and telephone numbers are links. */
export const Fields = ({ fields, language }: FieldsProps) => (
  <dl class="fields">
    {fields.map((field, nth) => {
      const { name, label, values } = field;
      return (
        <div key={`${nth} ${name}`}>
          <dt dir="auto" lang={language}>
            {label || name}
          </dt>
          {values.length === 0 && <dd class="none">–</dd>}
          {values.map((value, at) => (
            <dd key={at} dir="auto">
              <Value value={value} link={linkOf(field, value)} />
            </dd>
          ))}
        </div>
      );
    })}
  </dl>
);

function Value({ value, link }: { readonly value: string; readonly link: string | undefined }) {
  if (value === '') return <span class="none">–</span>;
  return link === undefined ? value : <a href={link}>{value}</a>;
}
