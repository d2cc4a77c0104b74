/** The figures, whose code loads when somebody asks for them. */
import { signal } from '@preact/signals';
import type { Figures as Given } from '../../src/api.ts';
import { about, tell } from '../about.ts';
import { ask } from '../ask.ts';
import type { FiguresProps } from './figures.tsx';

type Part = typeof import('./figures.tsx').default;

let part: Part | undefined;
export const shown = signal<Part | undefined>(undefined);

export async function showFigures(): Promise<void> {
  try {
    part ??= (await import('./figures.tsx')).default;
    shown.value = part;
  } catch {
    tell('The inbox does not answer. Does it still run?', true);
  }
}

const fetchFigures: FiguresProps['fetchFigures'] = (choice) => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(choice)) params.set(name, String(value));
  return ask<Given>(`/api/figures?${params}`);
};

const hide = () => {
  shown.value = undefined;
};

export function FiguresNow() {
  const Figures = shown.value;
  return Figures ? (
    <Figures fetchFigures={fetchFigures} forms={about.value?.forms ?? []} onClose={hide} />
  ) : null;
}
