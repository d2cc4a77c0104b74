/** "Protect it", "Confirm it", "Keep it": switches, each with its cost. */
import { useId } from 'preact/hooks';
import type { Json, Path } from '../../../edit/index.ts';
import { Options } from '../../options.tsx';
import { ProblemList } from '../../problem.tsx';
import { Prose } from '../../prose.tsx';
import { isMap } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import { builtId } from '../fields/form_model.ts';
import { variablesOf } from '../outputs/recipes.ts';
import {
  AsText,
  ChoiceControl,
  change,
  Frame,
  fieldsOf,
  held,
  ProblemCount,
  pathText,
  problemsAt,
  problemsWithin,
  Settings,
} from '../settings/index.ts';
import { type Captcha, captchaOf, captchas } from './captchas.ts';
import { guards } from './cards.ts';
import { type Ground, type Guard, inForm } from './guard.ts';
import '../outputs/outputs.css';
import './guards.css';

const intros: Readonly<Record<keyof typeof guards, string>> = {
  'Protect it':
    'Start with the honeypot and the minimal filling time. No check stops a person who sends rubbish by hand.',
  'Confirm it': 'So that visitors know that it arrived, and you know that the address is theirs.',
  'Keep it': 'The relay stores nothing unless you say so here.',
};

export function Guards() {
  const id = builtId.value;
  if (id === undefined) return <p class="set-help">The config has no form yet.</p>;
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
              <Card key={guard.name} guard={guard} ground={ground} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Card({ guard, ground }: { guard: Guard; ground: Ground }) {
  const { title, cost, page } = guard;
  const id = useId();
  const isOn = guard.isOn(ground);
  const lacks = isOn ? undefined : guard.lacks?.(ground);
  const path: Path = ['forms', ground.id, ...guard.key];
  const isAtTop = !isOn && guard.isForAll === true && held(guard.key) !== undefined;
  // An archive is an output among others.
  const places =
    guard.name === 'archive'
      ? guard.settings(ground).flatMap(({ path: at, only = [] }) => only.map((key): Path => [...at, key]))
      : [path];
  const bad = places.flatMap(problemsWithin).filter(({ severity }) => severity === 'error');
  const needs = (isOn && guard.needs?.(ground)) || [];
  return (
    <li class={`guard${isOn ? ' guard-on' : ''}`} data-guard={guard.name} data-key={pathText(path)}>
      <div class="guard-head">
        <input
          type="checkbox"
          role="switch"
          aria-checked={isOn}
          id={id}
          checked={isOn}
          disabled={lacks !== undefined || isAtTop}
          aria-describedby={`${id}-cost`}
          onChange={(event) => {
            const actions = isOn ? guard.off(ground) : guard.on(ground);
            // The switch shows what the config says, also where this had to stay.
            if (!change(actions, `${title} is ${isOn ? 'off' : 'on'}`)) event.currentTarget.checked = isOn;
          }}
        />
        <label for={id}>{title}</label>
        <ProblemCount of={bad} />
        <code class="guard-page">{page}</code>
      </div>
      <p class="guard-cost" id={`${id}-cost`}>
        <Prose text={cost} />
        {lacks && <strong> {lacks}</strong>}
      </p>
      {isMap(held(path)) && <ProblemList problems={problemsAt(path)} />}
      {isAtTop && <AsText path={guard.key} why="It is set at the top of the file, for all forms." />}
      {needs.length > 0 && (
        <p class="guard-needs">
          Needs{' '}
          {needs.map((name, index) => (
            <>
              {index > 0 && ' and '}
              <code>{name}</code>
            </>
          ))}{' '}
          in the environment.
        </p>
      )}
      {isOn && <Own guard={guard} ground={ground} />}
    </li>
  );
}

/** The few settings of a guard that is on, in place. */
function Own({ guard, ground }: { guard: Guard; ground: Ground }) {
  const settings = guard.settings(ground);
  const form = ['forms', ground.id];
  return (
    <div class="guard-own">
      {guard.name === 'captcha' && <Provider ground={ground} />}
      {guard.name === 'doubt' && <Doubt ground={ground} />}
      {guard.name === 'keep' && (
        <ChoiceControl
          path={[...form, 'keep']}
          label="What is kept"
          isRequired
          choices={['failed', 'always']}
          inWords={{
            failed: 'Deliveries that fail',
            always: 'Every submission before it is delivered; visitors wait for no output',
          }}
        />
      )}
      {settings.map(({ path, only }) => (
        <Settings
          key={JSON.stringify(path)}
          path={path}
          isFolded
          {...(only && { only })}
          without={guard.name === 'captcha' ? ['provider'] : []}
        />
      ))}
      {/\bexample\.(com|org)\b/.test(JSON.stringify(held([...form, ...guard.key]) ?? '')) &&
        guard.name !== 'archive' && (
          <p class="guard-needs">Replace what says example.com with what is yours.</p>
        )}
      {guard.name === 'keep' && (
        <p class="set-help">The store is one for all forms: it stands at the top of the file.</p>
      )}
    </div>
  );
}

/** Another provider has other keys, so the old ones go. */
function Provider({ ground }: { ground: Ground }) {
  const path: Path = ['forms', ground.id, 'captcha', 'provider'];
  const provider = String(held(path)) as Captcha;
  const known = captchas[provider];
  const isTest = known !== undefined && inForm(ground, 'captcha', 'site_key') === known.site_key;
  const variables = variablesOf(inForm(ground, 'captcha', 'secret') ?? '');
  return (
    <Frame path={path}>
      {(named) => (
        <>
          <select
            {...named}
            class="set-input"
            value={provider}
            onChange={({ currentTarget: { value } }) => {
              const onlyInDoubt = inForm(ground, 'captcha', 'only_in_doubt');
              const captcha: Json = {
                ...captchaOf(value as Captcha),
                ...(onlyInDoubt !== undefined && { only_in_doubt: onlyInDoubt }),
              };
              change(
                { do: 'set', path: path.slice(0, -1), value: captcha },
                `The captcha is ${captchas[value as Captcha].name}`,
              );
            }}
          >
            {!known && <option value={provider}>{provider}</option>}
            <Options of={Object.entries(captchas).map(([value, { name }]) => [value, name])} />
          </select>
          {known && <p class="set-help">{known.cost}</p>}
          {variables.length > 0 && (
            <p class="guard-needs">
              Needs <code>{variables[0]}</code> in the environment.
            </p>
          )}
          {isTest && <p class="guard-needs">Needs your own site key: this one is an example.</p>}
        </>
      )}
    </Frame>
  );
}

/** Its actions (docs/doubt.md, "Actions"), with the points from which each holds. */
const doubts = {
  observe: 'Only write the points into the log',
  tag: 'Deliver it with a mark',
  challenge: 'Ask the visitor first, with a puzzle',
  aside: 'Deliver it only to outputs for such submissions',
  drop: 'Drop it, and still thank its sender',
};

function Doubt({ ground }: { ground: Ground }) {
  const path: Path = ['forms', ground.id, 'spam', 'doubt'];
  if (!isMap(held(path))) {
    return (
      <ChoiceControl
        path={path}
        label="Doubted submissions"
        isRequired
        choices={Object.keys(doubts)}
        inWords={doubts}
      />
    );
  }
  return <p class="set-help">Each action holds from its number of points on.</p>;
}
