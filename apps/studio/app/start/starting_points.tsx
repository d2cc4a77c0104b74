/** The templates as cards, to start a form from. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { StartingPoint, StartingPointsState } from '../../src/state.ts';
import { built } from '../pending.ts';
import { loader } from '../relay.ts';
import { act, changeText, editor, selected } from '../store.ts';
import { addTemplate } from './add_template.ts';
import './starting_points.css';

interface StartingPointsProps {
  /** The form is in the config now, by this id. */
  readonly onDone?: (id: string) => void;
}

const points = signal<StartingPointsState['templates'] | undefined>(undefined);

/** The relay's own stylesheet, seen from further away. */
const sheet = new CSSStyleSheet();
const smaller = '.form-relay{zoom:.4;inline-size:100%;max-inline-size:34rem;padding:1.5rem;font-size:1rem}';

const load = loader<StartingPointsState>('/studio/templates.json', ({ style, templates }) => {
  sheet.replaceSync(`${style}${smaller}`);
  points.value = templates;
});

export function StartingPoints({ onDone }: StartingPointsProps) {
  useEffect(() => void load(), []);
  const known = points.value;
  return (
    <div class="start" aria-busy={!known}>
      {!known && <p role="status">Loading the templates…</p>}
      <ul class="start-cards" aria-label="Templates">
        {known?.map((one) => (
          <Card key={one.name} point={one} onDone={onDone} />
        ))}
      </ul>
    </div>
  );
}

interface CardProps extends StartingPointsProps {
  readonly point: StartingPoint;
}

const Card = ({ point, onDone }: CardProps) => (
  <li class="start-card" data-template={point.name}>
    <Picture markup={point.picture} />
    <button
      type="button"
      aria-describedby={`start-${point.name}`}
      onClick={() => {
        const id = take(point);
        if (id !== undefined) onDone?.(id);
      }}
    >
      {point.title}
    </button>
    <p id={`start-${point.name}`}>{point.says}</p>
  </li>
);

/** Nothing can be done with it. */
function Picture({ markup }: { readonly markup: string }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    root.innerHTML = markup;
  }, [markup]);
  return <div ref={host} class="start-picture" inert aria-hidden="true" />;
}

/** Puts its form into the config, as one step of undo; `undefined` where that has to be done as text. */
function take({ name, title, config }: StartingPoint): string | undefined {
  const { id, changes, actions } = addTemplate(built.value, name, config);
  const words = `${title}: added as “${id}”.`;
  if (!(changes === undefined ? act(actions, words) : changeText(changes, words))) return undefined;
  selected.value = ['forms', id];
  editor.value?.show(['forms', id]);
  return id;
}
