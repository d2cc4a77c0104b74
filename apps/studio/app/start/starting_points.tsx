/** The templates as cards, from which a form can be started. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { StartingPoint, StartingPointsState } from '../../src/state.ts';
import { built } from '../pending.ts';
import { loader } from '../relay.ts';
import { act, changeText, editor, selected } from '../store.ts';
import { addTemplate } from './add_template.ts';
import './starting_points.css';

interface StartingPointsProps {
  /** Called with the id of the form that was added. */
  readonly onDone: (id: string) => void;
}

const points = signal<StartingPointsState['templates'] | undefined>(undefined);

/** The relay's stylesheet, scaled down. */
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

const Card = ({ point, onDone }: StartingPointsProps & { readonly point: StartingPoint }) => (
  <li class="start-card" data-template={point.name}>
    <Picture markup={point.picture} />
    <button
      type="button"
      aria-describedby={`start-${point.name}`}
      onClick={() => {
        const id = take(point);
        if (id !== undefined) onDone(id);
      }}
    >
      {point.title}
    </button>
    <p id={`start-${point.name}`}>{point.says}</p>
  </li>
);

/** A picture of the form, without interaction. */
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

/** Adds the template's form in one undo step; `undefined` if that is only possible as text. */
function take({ name, title, config }: StartingPoint): string | undefined {
  const { id, changes, actions } = addTemplate(built.value, name, config);
  const words = `${title}: added as “${id}”.`;
  if (!(changes === undefined ? act(actions, words) : changeText(changes, words))) return undefined;
  selected.value = ['forms', id];
  editor.value?.show(['forms', id]);
  return id;
}
