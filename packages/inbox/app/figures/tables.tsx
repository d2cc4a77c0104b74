/** The numbers themselves. The charts repeat them. */
import type { ComponentChildren } from 'preact';
import type { Figures } from '../../src/api.ts';
import { number } from '../words.ts';
import {
  type Counted,
  type Day,
  droppedBy,
  endings,
  inMoment,
  inReason,
  inShare,
  type Key,
  titles,
  visits,
} from './counted.ts';

interface TableProps {
  readonly id: string;
  readonly caption: string;
  /** An empty one has no title. */
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
}

const Table = ({ id, caption, heads, children }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to scroll it.
  <section class="scrolled" aria-labelledby={`${id}-title`} tabIndex={0}>
    <table id={id}>
      <caption id={`${id}-title`}>{caption}</caption>
      <thead>
        <tr>
          {heads.map((head) =>
            head === '' ? (
              <td key={head} />
            ) : (
              <th scope="col" key={head}>
                {head}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

interface RowProps {
  readonly head: string;
  readonly cells: readonly string[];
  readonly class?: string | undefined;
  /** Behind the other cells. */
  readonly children?: ComponentChildren;
}

const Row = ({ head, cells, children, ...others }: RowProps) => (
  <tr class={others.class}>
    <th scope="row">{head}</th>
    {cells.map((cell, nth) => (
      <td key={nth}>{cell}</td>
    ))}
    {children}
  </tr>
);

interface Column {
  readonly title: string;
  readonly of: (day: Day) => number;
}

export function DaysTable({ counted }: { readonly counted: Counted }) {
  const columns = columnsOf(counted);
  const cells = (day: Day) => columns.map(({ of }) => number(of(day)));
  return (
    <Table id="days" caption="By day (UTC)" heads={['Day', ...columns.map(({ title }) => title)]}>
      <Row class="sum" head="In all" cells={cells(counted.sum)} />
      {counted.days.toReversed().map((day) => (
        <Row key={day.day} head={day.day} cells={cells(day)} />
      ))}
    </Table>
  );
}

const column = (key: Key): Column => ({ title: titles[key], of: (day) => day[key] });

const columnsOf = ({ reasons, hasStats }: Counted): readonly Column[] => [
  ...endings.map(column),
  ...reasons.map((reason) => ({
    title: `Dropped: ${inReason(reason)}`,
    of: (day: Day) => droppedBy(day, reason),
  })),
  column('late'),
  column('doubted'),
  ...(hasStats ? visits.map(column) : []),
];

/** @param left How many people left at each step, from 1. */
export function StepsTable({ left }: { readonly left: readonly number[] }) {
  const all = left.reduce((sum, each) => sum + each, 0);
  const most = Math.max(...left);
  return (
    <Table id="steps" caption="Where people give up" heads={['Step', 'People', 'Share', '']}>
      {left.map((people, index) => (
        <Row
          key={index}
          class={people === most && all > 0 ? 'most' : undefined}
          head={`Step ${index + 1}`}
          cells={[number(people), inShare(people, all)]}
        >
          <td class="extent">
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect width={all > 0 ? (100 * people) / most : 0} height="8" />
            </svg>
          </td>
        </Row>
      ))}
    </Table>
  );
}

interface FailuresProps {
  readonly failures: Figures['failures'];
  readonly titleOf: (form: string) => string;
}

export const FailuresTable = ({ failures, titleOf }: FailuresProps) => (
  <Table
    id="failures"
    caption="Attempts that failed, also those made again, the latest first (UTC)"
    heads={['Time', 'Form', 'Output', 'Reason', 'Times']}
  >
    {failures
      .toSorted((a, b) => b.at - a.at)
      .map(({ at, form, output, reason, times }) => (
        <Row
          key={`${at} ${form} ${output} ${reason}`}
          head={inMoment(at)}
          cells={[titleOf(form), output, reason, number(times)]}
        />
      ))}
  </Table>
);
