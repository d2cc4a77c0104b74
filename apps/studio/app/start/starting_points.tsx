/** The templates as cards, to start a form from. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { StartingPoint, StartingPointsState } from '../../src/state.ts';
import { ask } from '../relay.ts';
import { act, editor, notice, say, selected, text } from '../store.ts';
import { addTemplate } from './add_template.ts';
import './starting_points.css';

interface StartingPointsProps {
  /** The form is in the config now, by this id. */
  readonly onDone?: (id: string) => void;
}

/** The templates never change while the server runs. */
const points = signal<StartingPointsState['templates'] | 'lost' | undefined>(undefined);

/** The relay's own stylesheet, seen from further away. */
const sheet = new CSSStyleSheet();
const smaller = '.form-relay{zoom:.4;inline-size:100%;max-inline-size:34rem;padding:1.5rem;font-size:1rem}';

async function load(): Promise<void> {
  points.value = undefined;
  const answer = await ask('/studio/templates.json');
  const loaded: StartingPointsState | undefined = answer?.ok ? JSON.parse(answer.text) : undefined;
  sheet.replaceSync(`${loaded?.style ?? ''}${smaller}`);
  points.value = loaded?.templates ?? 'lost';
}

export function StartingPoints({ onDone }: StartingPointsProps) {
  const [wanted, want] = useState('');
  useEffect(() => {
    if (typeof points.peek() !== 'object') void load();
  }, []);
  const known = points.value;
  if (known === 'lost')
    return (
      <section class="start" aria-label="Templates">
        <p>
          The templates could not be loaded.{' '}
          <button type="button" class="tool" onClick={() => void load()}>
            Try again
          </button>
        </p>
      </section>
    );
  const all = known ?? [];
  const shown = all.filter((one) => matches(one, wanted));
  return (
    <section class="start" aria-label="Templates" aria-busy={!known}>
      <input
        type="search"
        class="start-filter"
        aria-label="Filter the templates"
        placeholder="Filter: contact, files, steps …"
        autocomplete="off"
        spellcheck={false}
        value={wanted}
        onInput={({ currentTarget }) => want(currentTarget.value)}
      />
      <p class={known && shown.length === 0 ? 'start-count' : 'unseen'} role="status">
        {!known && 'The templates are loading.'}
        {known &&
          wanted !== '' &&
          (shown.length === 0 ? 'No template has that.' : `${shown.length} of ${all.length}`)}
      </p>
      <ul class="start-cards">
        {shown.map((one) => (
          <Card key={one.name} point={one} onDone={onDone} />
        ))}
      </ul>
    </section>
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
    <p class="start-traits">{traitsOf(point).join(' · ')}</p>
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
  const { id, changes, actions } = addTemplate(text.value, name, config);
  const words = `${title}: added as “${id}”.`;
  if (changes === undefined) {
    if (!act(actions, words)) return undefined;
  } else {
    editor.value?.apply(changes);
    notice.value = '';
    say(words);
  }
  selected.value = ['forms', id];
  editor.value?.show(['forms', id]);
  return id;
}

const traits: readonly (readonly [words: string, key: RegExp])[] = [
  ['steps', /^ {4}steps:$/m],
  ['conditions', /^ {8}visible_when:$/m],
  ['files', /^ {8}type: file$/m],
  ['double opt-in', /^ {4}double_opt_in:$/m],
  ['mail to the visitor', /^ {4}confirmation_mail:$/m],
];

/** For people who compare them: how long it is, and what is special about it. */
function traitsOf({ config }: StartingPoint): readonly string[] {
  const count = config.match(/^ {6}- name: /gm)?.length ?? 0;
  return [`${count} fields`, ...traits.filter(([, key]) => key.test(config)).map(([words]) => words)];
}

/** Each word is somewhere in what its card says. */
function matches(point: StartingPoint, wanted: string): boolean {
  const words = [point.name.replaceAll('_', ' '), point.title, point.says, ...traitsOf(point)]
    .join(' ')
    .toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}
