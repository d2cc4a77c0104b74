import { Button } from '@form-relay/ui/controls';
import type { Answers, Bar, Summary } from '../../src/api.ts';
import { look, open } from '../address.ts';
import { counted, number } from '../words.ts';

/** A summary of a form's answers, updated while they are read. */
export function Answered({ summary }: { readonly summary: Summary | undefined }) {
  return (
    <section class="answers" aria-labelledby="answers">
      <h2 id="answers">Summary of the answers</h2>
      <p class="aside" role="status">
        {summary ? readInWords(summary) : 'Reading…'}
      </p>
      {summary && !summary.isDone && (
        <progress
          aria-labelledby="answers"
          value={summary.read + summary.sealed + summary.unreadable}
          max={summary.of}
        />
      )}
      <div class="answer-cards">
        {summary?.fields.map((field) => (
          <article key={field.name} class="answer">
            <h3>
              <bdi>{field.label}</bdi>
            </h3>
            <p class="aside">{answeredInWords(field, summary.read)}</p>
            <Answer field={field} />
          </article>
        ))}
      </div>
    </section>
  );
}

function readInWords({ of, read, sealed, unreadable, isDone }: Summary): string {
  const parts = [
    isDone ? `${counted(read, 'submission')} read` : `${number(read)} of ${counted(of, 'submission')} read`,
    ...(sealed > 0 ? [`${number(sealed)} sealed`] : []),
    ...(unreadable > 0 ? [`${number(unreadable)} whose values are not stored or cannot be read`] : []),
  ];
  return `${parts.join(', ')}.`;
}

function answeredInWords(field: Answers, read: number): string {
  const all = `${number(field.answered)} of ${number(read)} answered`;
  if (field.kind === 'choice' && field.mean !== undefined) return `${all} · mean ${rounded(field.mean)}`;
  return all;
}

const rounded = (value: number) => number(Math.round(value * 100) / 100);

function Answer({ field }: { readonly field: Answers }) {
  switch (field.kind) {
    case 'choice':
      return (
        <>
          <Bars bars={field.bars} of={field.answered} />
          {field.others > 0 && <p class="aside">{number(field.others)} others</p>}
        </>
      );
    case 'date':
      return <Bars bars={field.bars} of={field.answered} />;
    case 'number': {
      const { least, lower, median, upper, most, mean } = field.marks;
      return (
        <>
          <p class="marks">
            Median <b>{number(median)}</b>, half from {number(lower)} to {number(upper)}; all from{' '}
            {number(least)} to {number(most)}; mean {rounded(mean)}
          </p>
          <Bars bars={field.bars} of={field.answered} />
        </>
      );
    }
    case 'grid':
      return <Grid field={field} />;
    case 'files':
      return <p>{counted(field.files, 'file')}</p>;
    case 'text':
      return <Texts field={field} />;
  }
}

/** A table whose cells contain bars. */
function Bars({ bars, of }: { readonly bars: readonly Bar[]; readonly of: number }) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <table class="bars">
      <tbody>
        {bars.map(({ label, count }) => (
          <tr key={label}>
            <th scope="row">
              <bdi>{label}</bdi>
            </th>
            <td>
              <span class="bar-line" aria-hidden="true">
                <span style={{ width: `${(100 * count) / most}%` }} />
              </span>
            </td>
            <td class="number">{number(count)}</td>
            <td class="number aside">{of > 0 ? `${Math.round((100 * count) / of)}%` : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Grid({ field: { label, columns, rows } }: { readonly field: Answers & { readonly kind: 'grid' } }) {
  const most = Math.max(1, ...rows.flatMap(({ counts }) => counts));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
    <section class="wide-table" tabIndex={0} aria-label={label}>
      <table class="grid">
        <thead>
          <tr>
            <td />
            {columns.map((column) => (
              <th key={column} scope="col">
                <bdi>{column}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, counts }) => (
            <tr key={label}>
              <th scope="row">
                <bdi>{label}</bdi>
              </th>
              {counts.map((count, nth) => (
                <td key={columns[nth]} style={{ '--part': `${Math.round((40 * count) / most)}%` }}>
                  {number(count)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Common words that link to their submissions, and the newest answers, which open theirs. */
function Texts({ field: { label, newest, words } }: { readonly field: Answers & { readonly kind: 'text' } }) {
  const list = (search: string) => look('list', { search });
  const read = (id: string) => {
    look('list');
    open(id);
  };
  return (
    <>
      {words.length > 0 && (
        <ul class="chips" aria-label={`Most frequent words: ${label}`}>
          {words.map(({ label: word, count }) => (
            <li key={word}>
              <Button class="chip" onClick={() => list(word)}>
                <bdi>{word}</bdi> <span class="aside">{number(count)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ul class="newest" aria-label={`Newest: ${label}`}>
        {newest.map(({ id, value }) => (
          <li key={id}>
            <Button class="link" onClick={() => read(id)}>
              <bdi>{value}</bdi>
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
