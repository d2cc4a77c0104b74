import type { LetterField } from '../../src/api.ts';

interface FieldsProps {
  readonly fields: readonly LetterField[];
  /** Of the labels: a visitor may write in any. */
  readonly language: string;
}

/** As text alone, in the direction that each value has by itself. */
export const Fields = ({ fields, language }: FieldsProps) => (
  <dl class="fields">
    {fields.map(({ name, label, values }, nth) => (
      <div key={`${nth} ${name}`}>
        <dt dir="auto" lang={language}>
          {label || name}
        </dt>
        {values.length === 0 && <dd class="none">–</dd>}
        {values.map((value, at) => (
          <dd key={at} dir="auto">
            {value === '' ? <span class="none">–</span> : value}
          </dd>
        ))}
      </div>
    ))}
  </dl>
);
