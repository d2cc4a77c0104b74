/** A chart over days with its legend. The table beside it has the same numbers, so that the canvas needs no text. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { number } from '../words.ts';
import { type Series, seriesFor } from './series.ts';

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
