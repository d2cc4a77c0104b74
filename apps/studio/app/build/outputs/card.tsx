/** An output in the list, closed or with its settings. */

import type { Path } from '../../../edit/index.ts';
import type { OutputState } from '../../../src/state.ts';
import { Button } from '../../button.tsx';
import { Icon } from '../../icons.tsx';
import { ProblemList } from '../../problem.tsx';
import { Prose } from '../../prose.tsx';
import { keysAt } from '../../schema.ts';
import { config, settle } from '../../store.ts';
import {
  AsText,
  ChoiceControl,
  ConditionEditor,
  Control,
  ProblemCount,
  problemsAt,
  problemsWithin,
  Settings,
} from '../settings/index.ts';
import { gallery } from './gallery.tsx';
import { Mapping } from './mapping.tsx';
import {
  hintsOf,
  type Output,
  type Recipe,
  recipeOf,
  titleOf,
  typeTitle,
  unmapped,
  variablesToSet,
} from './recipes.ts';

export interface CardProps {
  readonly path: Path;
  readonly output: Output;
  readonly index: number;
  readonly count: number;
  readonly told: OutputState | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  /** @param what Gets the focus in the new place: a selector. */
  readonly onMove: (to: number, what: string) => void;
  readonly onDuplicate: () => void;
  readonly onRemove: (name: string) => void;
}

const errorWords = {
  fail: 'The visitor reads that it failed',
  continue: 'The visitor does not notice; the log says so',
};

/** Targets, in the order in which owners look for them. */
const firstKeys = [
  'to',
  'url',
  'url_env',
  'host',
  'port',
  'username',
  'password',
  'from',
  'path',
  'bucket',
  'prefix',
];
const ownKeys = ['type', 'mapping', 'static', 'on_error', 'when'];
/** These outputs send every field unless a mapping chooses. */
const saying = /^(slack|discord|teams|google_chat|telegram|mattermost|ntfy|matrix|folder|s3)$/;
const saysAll = ({ type, html, text }: Output) =>
  saying.test(String(type)) || (String(html) === 'true' && text === undefined);

export function OutputCard(props: CardProps) {
  const { path, output, index, count, told, isOpen, onMove } = props;
  const recipes = gallery.value ?? [];
  const recipe = recipeOf(output, recipes);
  const name = recipe ? titleOf(recipe) : typeTitle(String(output.type ?? 'Output'), recipes);
  const bad = problemsWithin(path).filter(({ severity }) => severity === 'error');
  const why = config.value.whyText(path);
  const id = `output-${index}`;
  return (
    <article class={`out-card${isOpen ? ' out-isopen' : ''}`} aria-labelledby={`${id}-name`}>
      <div class="out-top">
        <Button
          class="out-open"
          aria-expanded={isOpen}
          onKeyDown={(event) => {
            const to = index + (event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0);
            if (!event.altKey || to === index || to < 0 || to >= count) return;
            event.preventDefault();
            onMove(to, '.out-open');
          }}
          onClick={() => {
            settle();
            props.onOpen(!isOpen);
          }}
        >
          <span class="out-name" id={`${id}-name`}>
            {name}
          </span>
          <span class="out-target">{targetOf(output, told)}</span>
        </Button>
        <MoveButton way="up" of={name} isOff={index === 0} onClick={() => onMove(index - 1, '.out-up')} />
        <MoveButton
          way="down"
          of={name}
          isOff={index === count - 1}
          onClick={() => onMove(index + 1, '.out-down')}
        />
      </div>
      <p class="out-facts">
        <code>{String(output.type ?? '')}</code>
        <span>{output.on_error === 'continue' ? 'May fail' : 'Must arrive'}</span>
        {output.when !== undefined && <span>{told?.when ? `Only if ${told.when}` : 'Only sometimes'}</span>}
        <ProblemCount of={bad} />
      </p>
      {isOpen && (
        <div class="out-body">
          <ProblemList problems={problemsAt(path)} />
          {why === undefined ? <Opened {...props} recipe={recipe} /> : <AsText path={path} why={why} />}
          <div class="out-foot">
            <Button class="out-button" onClick={props.onDuplicate}>
              Duplicate
            </Button>
            <Button class="out-button out-danger" onClick={() => props.onRemove(name)}>
              Delete
            </Button>
          </div>
        </div>
      )}
    </article>
  );
}

/** People know a mail by its receiver; all else by its address. */
const targetOf = ({ to }: Output, told: OutputState | undefined): string =>
  typeof to === 'string' ? to : (told?.target ?? '');

const MoveButton = (props: { way: 'up' | 'down'; of: string; isOff: boolean; onClick: () => void }) => (
  <Button
    class={`set-icon out-${props.way}`}
    aria-label={`Move ${props.of} ${props.way}`}
    disabled={props.isOff}
    onClick={props.onClick}
  >
    <Icon name={props.way} />
  </Button>
);

function Opened({ path, output, recipe }: CardProps & { recipe: Recipe | undefined }) {
  const keys = keysAt(path, config.value.value);
  const key = (name: string) => keys.find((one) => one.name === name);
  const type = key('type');
  return (
    <>
      <Needed output={output} recipe={recipe} />
      <Settings
        key={String(output.type)}
        path={path}
        without={ownKeys}
        first={firstOf(output)}
        labels={isMail(output) ? mailWords : {}}
      >
        {key('mapping') && (
          <Mapping
            path={path}
            suggested={unmapped(output, recipe)}
            hasStatic={key('static') !== undefined}
            saysAll={saysAll(output)}
          />
        )}
        {key('on_error') && (
          <ChoiceControl
            path={[...path, 'on_error']}
            label="If it fails"
            choices={['fail', 'continue']}
            inWords={errorWords}
            fallback="fail"
          />
        )}
        {key('when') && <ConditionEditor path={[...path, 'when']} label="When" always="Every submission" />}
        {type && !recipe && <Control path={[...path, 'type']} schemaKey={type} />}
      </Settings>
    </>
  );
}

const isMail = ({ type }: Output) => type === 'smtp' || type === 'email';
/** As people call them who never set up a mail server. */
const mailWords = {
  to: 'Who gets it',
  host: 'Your mail server',
  from: 'Sent from',
  reply_to: 'Answers go to',
};

/** Leaves out keys that the output does not have, such as the variable beside an address. */
const firstOf = (output: Output) => firstKeys.filter((key) => key in output);

/** The step is taken outside this page. */
function Needed({ output, recipe }: { output: Output; recipe: Recipe | undefined }) {
  const variables = variablesToSet(output, recipe);
  const hints = recipe ? hintsOf(recipe, output) : [];
  if (variables.length === 0 && hints.length === 0) return null;
  return (
    <div class="out-needed">
      <h3>For you to do</h3>
      <ul>
        {variables.map(({ name, is, from }) => (
          <li key={name}>
            Set <code>{name}</code> in the environment
            {is && <Linked text={`: ${is}${from ? `, from ${from}` : ''}`} />}.
          </li>
        ))}
        {hints.map(({ key, says }, index) => (
          <li key={index}>
            {key && (
              <>
                <code>{key}</code>:{' '}
              </>
            )}
            <Prose text={says} />
          </li>
        ))}
        {recipe && (
          <li>
            <code>{recipe.page}</code> says where to find what is yours.
          </li>
        )}
      </ul>
    </div>
  );
}

/** Words whose web addresses are links. */
const Linked = ({ text }: { readonly text: string }) => (
  <>
    {text.split(/(https:[^\s,;]+)/).map((part, index) =>
      index % 2 ? (
        <a key={index} href={part} target="_blank" rel="noopener">
          {part}
        </a>
      ) : (
        part
      ),
    )}
  </>
);
