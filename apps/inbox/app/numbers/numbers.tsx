import { Button, Icon, Trouble } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Counts, noCounts, type Standing, standings } from '../../src/api.ts';
import { about, attempt, titleOf } from '../about.ts';
import { type Choice, choose, look, paramsOf, query } from '../address.ts';
import { save } from '../dialogs/dialogs.tsx';
import { Filters } from '../list/filters.tsx';
import { dateOf, number, standingWords } from '../words.ts';
import { Answered } from './answers.tsx';
import { type Day, type DayCounts, days, numbers, type Step, summary, trouble } from './figures.ts';

/** Bars are stacked from the bottom: first delivered, then what needs attention. */
const drawn = standings.toReversed();

const sumOf = (counts: Counts) => standings.reduce((sum, name) => sum + counts[name], 0);

const show = (choice: Choice) => look('list', choice);

/** Counts and answers for the current filter, shown instead of the list. */
export function NumbersView() {
  const { form, since, until } = query.value;
  const now = numbers.value;
  return (
    <div class="numbers">
      <Filters />
      <header class="numbers-head">
        <h2>
          <bdi>{form === undefined ? 'All forms' : titleOf(form)}</bdi>
        </h2>
        <p class="aside">{periodOf(since, until)}</p>
        <Periods />
        <span class="grow" />
        <Button onClick={() => print()}>
          <Icon name="print" />
          Print
        </Button>
        {form !== undefined && <Download />}
      </header>
      {trouble.value && <Trouble words={trouble.value} onGo={() => choose({ ...query.peek() })} />}
      {now && (
        <>
          <Equation counts={totalOf(now.forms.map(({ counts }) => counts))} received={now.received} />
          {now.received > 0 && <Days />}
          {form === undefined && now.forms.length > 0 && <ByForm />}
          <p class="aside">
            Each submission counts once, in the first category that applies: not delivered, waiting, dropped,
            suspected spam without a mark, delivered. Only submissions in the archives and in the store of
            queued deliveries are counted.
          </p>
        </>
      )}
      {form === undefined ? <ChooseForm /> : <Answered summary={summary.value} />}
    </div>
  );
}

const totalOf = (all: readonly Counts[]): Counts =>
  all.reduce(
    (sum, counts) =>
      Object.fromEntries(standings.map((name) => [name, sum[name] + counts[name]])) as unknown as Counts,
    noCounts,
  );

const periodOf = (since: number | undefined, until: number | undefined): string => {
  const from = since ?? numbers.value?.first;
  const to = until === undefined ? numbers.value?.last : until - 1;
  if (from === undefined || to === undefined) return '';
  return [...new Set([dateOf(from), dateOf(to)])].join(' – ');
};

function Periods() {
  const now = new Date();
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const at = (...parts: readonly [number, number, number?]) =>
    new Date(parts[0], parts[1], parts[2] ?? 1).getTime();
  const periods: readonly (readonly [string, Choice])[] = [
    ['All', { since: undefined, until: undefined }],
    ['30 days', { since: at(year, month, day - 29), until: undefined }],
    ['This month', { since: at(year, month), until: undefined }],
    ['Last month', { since: at(year, month - 1), until: at(year, month) }],
    ['12 months', { since: at(year, month - 11), until: undefined }],
  ];
  const { since, until } = query.value;
  return (
    <fieldset class="periods" aria-label="Time">
      {periods.map(([words, period]) => (
        <Button
          key={words}
          aria-pressed={period.since === since && period.until === until}
          onClick={() => choose(period)}
        >
          {words}
        </Button>
      ))}
    </fieldset>
  );
}

function Download() {
  const isBusy = useSignal(false);
  const go = async () => {
    isBusy.value = true;
    const params = paramsOf(query.peek());
    params.set('format', 'csv');
    await attempt(() => save(`/api/summary?${params}`, {}, 'summary.csv'));
    isBusy.value = false;
  };
  return (
    <Button disabled={isBusy.value || !summary.value?.isDone} onClick={() => void go()}>
      <Icon name="download" />
      Summary as CSV
    </Button>
  );
}

/** Shows that the counts add up to all submissions. */
function Equation({ counts, received }: { readonly counts: Counts; readonly received: number }) {
  const part = (name: Standing | undefined, count: number, words: string) => (
    <button
      type="button"
      class={`figure ${name ?? ''}`}
      disabled={count === 0}
      onClick={() => show({ state: name ?? query.peek().state })}
    >
      <b>{number(count)}</b>
      <span>{words}</span>
    </button>
  );
  return (
    <div class="equation">
      {part(undefined, received, 'Received')}
      {drawn.map((name, nth) => (
        <span key={name} class="term">
          <span aria-hidden="true">{nth === 0 ? '=' : '+'}</span>
          {part(name, counts[name], standingWords[name])}
        </span>
      ))}
    </div>
  );
}

const stepWords: Readonly<Record<Step, string>> = {
  day: 'Day',
  week: 'Week from',
  month: 'Month',
  year: 'Year',
};
const monthName = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'long' });

const labelOf = (by: Step, { since }: Day) =>
  by === 'month'
    ? monthName.format(since)
    : by === 'year'
      ? String(new Date(since).getFullYear())
      : dateOf(since);

/** A bar chart in which each bar opens its submissions, and the same figures as a table. */
function Days() {
  const { by, all } = days.value ?? { by: 'day' as const, all: [] };
  const most = Math.max(1, ...all.map(({ counts }) => sumOf(counts)));
  return (
    <section class="part" aria-labelledby="days">
      <h3 id="days">Received by {by}</h3>
      <div aria-hidden="true" style={{ maxWidth: `max(20rem, ${all.length * 4}rem)` }}>
        <div class="days">
          {all.map((one) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the table below has the same for the keyboard
            // biome-ignore lint/a11y/noStaticElementInteractions: as above
            <div
              key={one.since}
              class="day"
              title={`${labelOf(by, one)}: ${number(sumOf(one.counts))}\n${drawn
                .filter((name) => one.counts[name] > 0)
                .map((name) => `${standingWords[name]}: ${number(one.counts[name])}`)
                .join('\n')}`}
              onClick={() => show({ since: one.since, until: one.until })}
            >
              {drawn
                .toReversed()
                .map(
                  (name) =>
                    one.counts[name] > 0 && (
                      <span
                        key={name}
                        class={name}
                        style={{ height: `${(100 * one.counts[name]) / most}%` }}
                      />
                    ),
                )}
            </div>
          ))}
        </div>
        <p class="axis aside">
          <span>{all[0] && labelOf(by, all[0])}</span>
          <span>at most {number(most)}</span>
          <span>{all.length > 1 && labelOf(by, all.at(-1) as DayCounts)}</span>
        </p>
      </div>
      <details>
        <summary>As a table</summary>
        <CountsTable
          head={stepWords[by]}
          rows={all
            .filter(({ counts }) => sumOf(counts) > 0)
            .map((one) => ({
              key: one.since,
              words: labelOf(by, one),
              counts: one.counts,
              choice: { since: one.since, until: one.until },
            }))}
        />
      </details>
    </section>
  );
}

function ByForm() {
  const { forms = [] } = numbers.value ?? {};
  return (
    <section class="part" aria-labelledby="by-form">
      <h3 id="by-form">By form</h3>
      <CountsTable
        head="Form"
        rows={forms.map(({ id, counts }) => ({
          key: id,
          words: <bdi>{titleOf(id)}</bdi>,
          counts,
          choice: { form: id },
        }))}
      />
    </section>
  );
}

interface CountsRow {
  readonly key: string | number;
  readonly words: ComponentChildren;
  readonly counts: Counts;
  readonly choice: Choice;
}

function CountsTable({ head, rows }: { readonly head: string; readonly rows: readonly CountsRow[] }) {
  const cell = (count: number, choice: Choice) =>
    count === 0 ? (
      <span class="none">0</span>
    ) : (
      <Button class="link" onClick={() => show(choice)}>
        {number(count)}
      </Button>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
    <section class="wide-table" tabIndex={0} aria-label={`Counts: ${head}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col">Received</th>
            {drawn.map((name) => (
              <th key={name} scope="col">
                {standingWords[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, words, counts, choice }) => (
            <tr key={key}>
              <th scope="row">{words}</th>
              <td>{cell(sumOf(counts), choice)}</td>
              {drawn.map((state) => (
                <td key={state}>{cell(counts[state], { ...choice, state })}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Asks for a form, because answers are summed up for one form at a time. */
function ChooseForm() {
  const { forms = [] } = about.value ?? {};
  return (
    <section class="part" aria-labelledby="choose-form">
      <h3 id="choose-form">Summary of the answers</h3>
      <p>Choose a form:</p>
      <p class="chips">
        {forms.map(({ id, title }) => (
          <Button key={id} class="chip" onClick={() => choose({ form: id })}>
            <bdi>{title || id}</bdi>
          </Button>
        ))}
      </p>
    </section>
  );
}
