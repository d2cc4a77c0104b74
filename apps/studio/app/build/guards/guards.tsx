/** "Protect it", "Confirm it", "Keep it": switches, each with its cost. */
import { useId } from 'preact/hooks';
import { isMap, type Path } from '../../../edit/model.ts';
import { ProblemList } from '../../code/problems.tsx';
import { Prose } from '../../prose.tsx';
import { config } from '../../store.ts';
import { builtId } from '../fields/form_model.ts';
import { change } from '../settings/draft.ts';
import { AsText, ProblemCount } from '../settings/frame.tsx';
import { fieldsOf, held, pathText, problemsAt, problemsWithin } from '../settings/places.ts';
import { Settings } from '../settings/settings.tsx';
import { type Ground, type Guard, guards, isOn, turnOff, turnOn } from './cards.ts';
import '../outputs/outputs.css';
import './guards.css';

const intros: Readonly<Record<keyof typeof guards, string>> = {
  'Protect the form':
    'Start with the honeypot and the minimum filling time. No check stops a person who sends spam by hand.',
  'Confirm submissions':
    'Tell visitors that their message arrived, and make sure that the address is theirs.',
  'Keep submissions': 'The relay stores nothing unless you configure it here.',
};

export function Guards() {
  const id = builtId.value;
  if (id === undefined) return <p class="set-help">The config has no forms yet.</p>;
  const why = config.value.whyText(['forms', id]);
  if (why !== undefined) return <AsText path={['forms', id]} why={why} />;
  const ground: Ground = { id, config: config.value.value, fields: fieldsOf(['forms', id]) };
  return (
    <div class="guards">
      {Object.entries(guards).map(([group, cards]) => (
        <section key={group} aria-label={group} class="guard-group">
          <h2>{group}</h2>
          <p class="set-help">{intros[group as keyof typeof guards]}</p>
          <ul class="guard-list">
            {cards.map((guard) => (
              <Card key={guard.title} guard={guard} ground={ground} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Card({ guard, ground }: { guard: Guard; ground: Ground }) {
  const { title, cost, key, isForAll } = guard;
  const id = useId();
  const isChecked = isOn(guard, ground);
  const lacks = isChecked ? undefined : guard.lacks?.(ground);
  const path: Path = ['forms', ground.id, ...key];
  const isAtTop = !isChecked && isForAll === true && held(key) !== undefined;
  const bad = problemsWithin(path).filter(({ severity }) => severity === 'error');
  return (
    <li class={`guard${isChecked ? ' guard-on' : ''}`} data-guard={key.at(-1)} data-key={pathText(path)}>
      <div class="guard-head">
        <input
          type="checkbox"
          role="switch"
          aria-checked={isChecked}
          id={id}
          checked={isChecked}
          disabled={lacks !== undefined || isAtTop}
          aria-describedby={`${id}-cost`}
          onChange={(event) => {
            const actions = isChecked ? turnOff(guard, ground) : turnOn(guard, ground);
            // If the config could not be changed, the switch returns to its state.
            if (!change(actions, `${title} is ${isChecked ? 'off' : 'on'}`))
              event.currentTarget.checked = isChecked;
          }}
        />
        <label for={id}>{title}</label>
        <ProblemCount of={bad} />
      </div>
      <p class="guard-cost" id={`${id}-cost`}>
        <Prose text={cost} />
        {lacks && <strong> {lacks}</strong>}
      </p>
      {isMap(held(path)) && <ProblemList problems={problemsAt(path)} />}
      {isAtTop && <AsText path={key} why="Set at the top of the file, for all forms." />}
      {isChecked && <Own guard={guard} path={path} />}
    </li>
  );
}

/** The main settings of a feature that is on, shown in its card. */
function Own({ guard: { key, also = [] }, path }: { guard: Guard; path: Path }) {
  const name = String(key.at(-1));
  return (
    <div class="guard-own">
      {isMap(held(path)) && also.length === 0 ? (
        <Settings path={path} />
      ) : (
        <Settings path={path.slice(0, -1)} only={[name, ...also]} />
      )}
      {name === 'keep' && <Settings path={['keep']} />}
    </div>
  );
}
