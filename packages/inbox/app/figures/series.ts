/** The options of uPlot for lines over days, and for bars that stand on each other. */
import type uPlot from 'uplot';

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
