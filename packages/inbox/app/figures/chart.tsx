/** A chart over days with its legend. The table beside it has the same numbers, so that the canvas needs no text. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { number } from '../words.ts';

export interface ChartProps {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly isStacked?: boolean;
}

const height = 200;

export function Chart({ title, days, series, isStacked = false }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | null>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    draw(place.current as HTMLDivElement, { days, series, isStacked }, setPointed, stop.signal).catch(() =>
      setFailed(true),
    );
    return () => stop.abort();
  }, [days, series, isStacked]);
  const day = typeof pointed === 'number' ? days[pointed] : undefined;
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <span class="chart-day">{day ?? 'In all'}</span>
      </figcaption>
      <ul class="legend">
        {series.map(({ label, colour, dash, values }) => (
          <li key={label}>
            <Sample colour={colour} dash={dash} isStacked={isStacked} />
            {label} <b>{number(day === undefined ? total(values) : (values[pointed as number] ?? 0))}</b>
          </li>
        ))}
      </ul>
      {hasFailed ? (
        <p>The chart could not be loaded.</p>
      ) : (
        <div ref={place} class="plot" aria-hidden="true" />
      )}
    </figure>
  );
}

const total = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0);

function Sample({ colour, dash, isStacked }: Pick<Series, 'colour' | 'dash'> & { isStacked: boolean }) {
  return (
    <svg class={`sample colour-${colour}`} viewBox="0 0 20 10" aria-hidden="true">
      {isStacked ? (
        <rect width="20" height="10" rx="2" />
      ) : (
        <line x1="0" y1="5" x2="20" y2="5" stroke-dasharray={dash?.join(' ')} />
      )}
    </svg>
  );
}

/** Draws again when the width or the colour scheme changes. */
async function draw(
  place: HTMLDivElement,
  shown: Required<Omit<ChartProps, 'title'>>,
  point: (index: number | null | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const { default: Plot } = await import('uplot');
  if (signal.aborted) return;
  let plot: uPlot | undefined;
  const redraw = () => {
    plot?.destroy();
    const { options, data } = seriesFor(Plot, shown, getComputedStyle(place));
    const hooks = { setCursor: [(at: uPlot) => point(at.cursor.idx)] };
    plot = new Plot({ ...options, width: place.clientWidth, height, hooks }, data, place);
  };
  redraw();
  const sizes = new ResizeObserver(() => {
    if (plot?.width !== place.clientWidth) plot?.setSize({ width: place.clientWidth, height });
  });
  sizes.observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw, { signal });
  signal.addEventListener('abort', () => {
    sizes.disconnect();
    plot?.destroy();
  });
}

export interface Series {
  readonly label: string;
  /** `--colour-N` of the stylesheet. */
  readonly colour: number;
  /** Lines differ in more than colour. */
  readonly dash?: readonly number[];
  readonly values: readonly number[];
}

interface Shown {
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly isStacked: boolean;
}

export function seriesFor(
  Plot: typeof uPlot,
  { days, series, isStacked }: Shown,
  style: CSSStyleDeclaration,
): { options: Omit<uPlot.Options, 'width' | 'height'>; data: uPlot.AlignedData } {
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const shown = isStacked ? stacked(series) : series;
  const axis: uPlot.Axis = {
    stroke: colour('--soft'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const bars = Plot.paths.bars?.({ size: [0.7, 24], radius: 0 });
  return {
    options: {
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      tzDate: (at) => Plot.tzDate(new Date(at * 1000), 'UTC'),
      scales: {
        x: { range: (_, from, to) => [from - 43_200, to + 43_200] },
        y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          space: 64,
          // No hours: a value stands for a day.
          incrs: [1, 2, 7, 14, 30, 91, 182, 365, 730].map((times) => times * 86_400),
          values: (_, at) => at.map((each) => inDay(each)),
        },
        {
          ...axis,
          size: 48,
          incrs: [1, 2, 5]
            .flatMap((step) => [0, 1, 2, 3, 4, 5, 6].map((ten) => step * 10 ** ten))
            .sort((a, b) => a - b),
          values: (_, at) => at.map((each) => (each < 10_000 ? `${each}` : `${each / 1000}k`)),
        },
      ],
      series: [
        {},
        ...shown.map(({ label, colour: nth, dash }) => ({
          label,
          stroke: colour(`--colour-${nth}`),
          width: isStacked ? 0 : 2,
          ...(dash && { dash: [...dash] }),
          ...(isStacked && { fill: colour(`--colour-${nth}`), paths: bars }),
          points: { show: !isStacked && days.length === 1 },
        })),
      ],
    },
    data: [days.map((day) => Date.parse(day) / 1000), ...shown.map(({ values }) => [...values])],
  };
}

/** Each bar reaches from zero to its sum with those below; the highest are drawn first. */
function stacked(series: readonly Series[]): readonly Series[] {
  const below: number[] = [];
  return series
    .map((each) => ({
      ...each,
      values: each.values.map((value, index) => {
        below[index] = (below[index] ?? 0) + value;
        return below[index];
      }),
    }))
    .reverse();
}

const dayAndMonth = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const inDay = (seconds: number) => dayAndMonth.format(seconds * 1000);
