/** Numbers from the journal: submissions by day and form, drops, deliveries, and where people give up. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FiguresChoice, Figures as Given } from '../../src/api.ts';
import { Button } from '../button.tsx';
import { number } from '../words.ts';
import type { Series } from './chart.tsx';
import { Chart } from './chart.tsx';
import {
  type Counted,
  count,
  droppedBy,
  droppedInAll,
  endings,
  inReason,
  inShare,
  inTime,
  type Key,
  sinceDays,
  titles,
} from './counted.ts';
import { DaysTable, FailuresTable, StepsTable } from './tables.tsx';
import './figures.css';

export interface FiguresProps {
  /** Rejects with words for a person. */
  fetchFigures(choice: FiguresChoice): Promise<Given>;
  readonly forms: readonly { readonly id: string; readonly title: string }[];
  onClose(): void;
}

interface Loaded {
  readonly given: Given;
  readonly counted: Counted;
}

const ranges = [
  { days: 7, title: '7 days' },
  { days: 30, title: '30 days' },
  { days: 90, title: '90 days' },
  { days: undefined, title: 'All' },
];

export default function Figures({ fetchFigures, forms, onClose }: FiguresProps) {
  const [days, setDays] = useState<number | undefined>(30);
  const [form, setForm] = useState('');
  const [tries, setTries] = useState(0);
  const [loaded, setLoaded] = useState<Loaded>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isLatest = true;
    const now = Date.now();
    const since = days === undefined ? undefined : sinceDays(days, now);
    const choice = { ...(form !== '' && { form }), ...(since !== undefined && { since }) };
    fetchFigures(choice).then(
      (given) => {
        if (!isLatest) return;
        setProblem(undefined);
        setLoaded({ given, counted: count(given.days, now, since) });
      },
      (error: unknown) => {
        if (isLatest) setProblem(error instanceof Error ? error.message : 'The inbox does not answer.');
      },
    );
    return () => {
      isLatest = false;
    };
  }, [days, form, tries]);
  const titleOf = (id: string) => forms.find((one) => one.id === id)?.title ?? id;
  return (
    <section class="figures" aria-labelledby="figures-title">
      <header>
        <h2 id="figures-title">Figures</h2>
        <fieldset class="ranges">
          <legend class="unseen">Time</legend>
          {ranges.map((range) => (
            <label key={range.title}>
              <input
                type="radio"
                name="figures-range"
                checked={days === range.days}
                onChange={() => setDays(range.days)}
              />
              {range.title}
            </label>
          ))}
        </fieldset>
        <label>
          <span class="unseen">Form</span>
          <select value={form} onChange={(event) => setForm(event.currentTarget.value)}>
            <option value="">All forms</option>
            {forms.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <Button class="tool close" onClick={onClose}>
          Close
        </Button>
      </header>
      <div role="status">{!loaded && problem === undefined && <p class="note">Counting …</p>}</div>
      <div role="alert">
        {problem !== undefined && (
          <p class="note">
            {problem} <Button onClick={() => setTries(tries + 1)}>Try again</Button>
          </p>
        )}
      </div>
      {loaded && problem === undefined && <Numbers {...loaded} titleOf={titleOf} />}
    </section>
  );
}

function Numbers({ given, counted, titleOf }: Loaded & { titleOf(form: string): string }) {
  const charts = useMemo(() => chartsOf(counted), [counted]);
  if (!given.hasJournal)
    return (
      <p class="note">
        The config has no <code>journal</code>, so nothing is counted. Add{' '}
        <code>{'journal: { in: ./journal, for: 90d }'}</code>, and figures begin with the next submission.
      </p>
    );
  const days = charts.days;
  return (
    <>
      <dl class="tiles">
        {tilesOf(given, counted).map(({ title, value, note }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              {value} {note && <small>{note}</small>}
            </dd>
          </div>
        ))}
      </dl>
      <div class="sides">
        <div class="charts">
          <Chart title="Submissions" days={days} series={charts.submissions} />
          {charts.dropped.length > 0 && (
            <Chart title="Dropped, by reason" days={days} series={charts.dropped} isStacked />
          )}
          {counted.hasStats && <Chart title="People" days={days} series={charts.people} />}
          {counted.leftAtStep.length > 0 && <StepsTable left={counted.leftAtStep} />}
        </div>
        <DaysTable counted={counted} />
      </div>
      {given.failures.length > 0 ? (
        <FailuresTable failures={given.failures} titleOf={titleOf} />
      ) : (
        <p class="note">No attempt failed.</p>
      )}
    </>
  );
}

interface Tile {
  readonly title: string;
  readonly value: string;
  readonly note?: string;
}

function tilesOf({ medianMs }: Given, { sum, hasStats }: Counted): readonly Tile[] {
  const tile = (key: Key, note?: string): Tile => ({
    title: titles[key],
    value: number(sum[key]),
    ...(note !== undefined && { note }),
  });
  return [
    ...endings.map((key) => tile(key)),
    { title: 'Dropped', value: number(droppedInAll(sum)) },
    tile('late', 'of the delivered'),
    tile('doubted', 'of the received'),
    { title: 'Median time to delivery', value: medianMs === undefined ? '–' : inTime(medianMs) },
    ...(hasStats
      ? [
          tile('views'),
          tile('starts', `${inShare(sum.starts, sum.views)} of views`),
          { title: 'Completion', value: inShare(sum.sends, sum.starts), note: 'of those who started' },
        ]
      : []),
  ];
}

function chartsOf({ days, reasons }: Counted) {
  const line = (key: Key, colour: number, dash?: readonly number[]): Series => ({
    label: titles[key],
    colour,
    ...(dash && { dash }),
    values: days.map((day) => day[key]),
  });
  return {
    days: days.map(({ day }) => day),
    submissions: [
      line('received', 5),
      line('delivered', 1, [10, 3]),
      line('late', 2, [5, 4]),
      line('doubted', 4, [2, 3]),
    ],
    people: [line('views', 5), line('starts', 3, [8, 4]), line('sends', 1, [2, 3])],
    dropped: reasons.map((reason, index) => ({
      label: inReason(reason),
      colour: (index % 5) + 1,
      values: days.map((day) => droppedBy(day, reason)),
    })),
  };
}
