/** The numbers themselves. The charts repeat them. */
import type { Figures } from '../../src/api.ts';
import { type Counted, type Day, droppedBy } from './counted.ts';
import { inMoment, inNumber, inReason, inShare } from './words.ts';

interface Column {
  readonly title: string;
  readonly of: (day: Day) => number;
}

export function DaysTable({ counted }: { readonly counted: Counted }) {
  const columns = columnsOf(counted);
  const cells = (day: Day) => columns.map(({ title, of }) => <td key={title}>{inNumber(of(day))}</td>);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to scroll it.
    <section class="scrolled" aria-labelledby="days-title" tabIndex={0}>
      <table id="days">
        <caption id="days-title">By day (UTC)</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {columns.map(({ title }) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr class="sum">
            <th scope="row">In all</th>
            {cells(counted.sum)}
          </tr>
          {[...counted.days].reverse().map((day) => (
            <tr key={day.day}>
              <th scope="row">{day.day}</th>
              {cells(day)}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const columnsOf = ({ reasons, hasStats }: Counted): readonly Column[] => [
  { title: 'Received', of: (day) => day.received },
  { title: 'Delivered', of: (day) => day.delivered },
  { title: 'Kept', of: (day) => day.kept },
  { title: 'Set aside', of: (day) => day.aside },
  { title: 'Failed', of: (day) => day.failed },
  ...reasons.map((reason) => ({
    title: `Dropped: ${inReason(reason)}`,
    of: (day: Day) => droppedBy(day, reason),
  })),
  { title: 'Late', of: (day) => day.late },
  { title: 'Doubted', of: (day) => day.doubted },
  ...(hasStats
    ? [
        { title: 'Views', of: (day: Day) => day.views },
        { title: 'Starts', of: (day: Day) => day.starts },
        { title: 'Sends', of: (day: Day) => day.sends },
      ]
    : []),
];

/** @param left How many people left at each step, from 1. */
export function StepsTable({ left }: { readonly left: readonly number[] }) {
  const all = left.reduce((sum, each) => sum + each, 0);
  const most = Math.max(...left);
  return (
    <section class="scrolled" aria-labelledby="steps-title">
      <table id="steps">
        <caption id="steps-title">Where people give up</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">People</th>
            <th scope="col">Share</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {left.map((people, index) => (
            <tr key={index} class={people === most && all > 0 ? 'most' : undefined}>
              <th scope="row">Step {index + 1}</th>
              <td>{inNumber(people)}</td>
              <td>{inShare(people, all)}</td>
              <td class="extent">
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={all > 0 ? (100 * people) / most : 0} height="8" />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function FailuresTable({
  failures,
  titleOf,
}: {
  failures: Figures['failures'];
  titleOf(form: string): string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to scroll it.
    <section class="scrolled" aria-labelledby="failures-title" tabIndex={0}>
      <table id="failures">
        <caption id="failures-title">
          Attempts that failed, also those made again, the latest first (UTC)
        </caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Form</th>
            <th scope="col">Output</th>
            <th scope="col">Reason</th>
            <th scope="col">Times</th>
          </tr>
        </thead>
        <tbody>
          {[...failures]
            .sort((a, b) => b.at - a.at)
            .map(({ at, form, output, reason, times }) => (
              <tr key={`${at} ${form} ${output} ${reason}`}>
                <th scope="row">{inMoment(at)}</th>
                <td>{titleOf(form)}</td>
                <td>{output}</td>
                <td>{reason}</td>
                <td>{inNumber(times)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}
