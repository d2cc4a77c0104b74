/** An output in the list, closed or with its settings. */

import { Button } from '@form-relay/ui/controls';
import type { Path } from '../../../edit/model.ts';
import type { OutputState } from '../../../src/state.ts';
import { isToDo, ProblemList } from '../../code/problems.tsx';
import { Linked } from '../../prose.tsx';
import { config, settle } from '../../store.ts';
import { AsText, ProblemCount } from '../settings/frame.tsx';
import { problemsAt, problemsWithin } from '../settings/places.ts';
import { Settings } from '../settings/settings.tsx';
import { ConnectMail } from './connect.tsx';
import { gallery } from './gallery.tsx';
import { isMailOutput, loginKeys } from './mail_account.ts';
import { Mapping } from './mapping.tsx';
import {
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
  readonly status: OutputState | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onRemove: (name: string) => void;
}

/** As people call them who never set up a mail server. */
const labels = {
  to: 'Recipients',
  reply_to: 'Replies go to',
  on_error: 'If it fails',
  when: 'Only if',
};

export function OutputCard(props: CardProps) {
  const { path, output, index, status, isOpen } = props;
  const recipes = gallery.value ?? [];
  const recipe = recipeOf(output, recipes);
  const name = recipe ? titleOf(recipe) : typeTitle(String(output.type ?? 'Output'), recipes);
  const bad = problemsWithin(path).filter(({ severity }) => severity === 'error');
  const why = config.value.whyText(path);
  const id = `output-${index}`;
  return (
    <article class={`out-card${isOpen ? ' out-isopen' : ''}`} aria-labelledby={`${id}-name`}>
      <Button
        class="out-open"
        aria-expanded={isOpen}
        onClick={() => {
          settle();
          props.onOpen(!isOpen);
        }}
      >
        <span class="out-name" id={`${id}-name`}>
          {name}
        </span>
        <span class="out-target">{targetOf(output, status)}</span>
      </Button>
      <p class="out-facts">
        <code>{String(output.type ?? '')}</code>
        <span>{output.on_error === 'continue' ? 'May fail' : 'Must arrive'}</span>
        {output.when !== undefined && (
          <span>{status?.when ? `Only if ${status.when}` : 'Only sometimes'}</span>
        )}
        {problemsWithin(path).some(isToDo) && <b>Address to fill in</b>}
        <ProblemCount of={bad} />
      </p>
      {isOpen && (
        <div class="out-body">
          <ProblemList problems={problemsAt(path)} />
          {why === undefined ? <Opened {...props} recipe={recipe} /> : <AsText path={path} why={why} />}
          <div class="out-foot">
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
export const targetOf = ({ to }: Output, status: OutputState | undefined): string =>
  typeof to === 'string' ? to : (status?.target ?? '');

const Opened = ({ path, output, recipe, status }: CardProps & { recipe: Recipe | undefined }) => (
  <>
    {isMailOutput(output) ? (
      <ConnectMail path={path} output={output} recipe={recipe} status={status} />
    ) : (
      <Needed output={output} recipe={recipe} />
    )}
    <Settings
      key={String(output.type)}
      path={path}
      without={[...(recipe ? ['type'] : []), ...(isMailOutput(output) ? loginKeys : [])]}
      first={['to', 'url', 'host', 'from', 'subject', 'mapping', 'on_error', 'when'].filter(isUsual(output))}
      labels={labels}
      controls={{
        mapping: (props) => (
          <Mapping {...props} suggested={unmapped(output, recipe)} sendsAll={status?.sendsAll === true} />
        ),
      }}
    />
  </>
);

/** Targets are shown where they are set, such as an address in place of the variable that holds it. */
const isUsual = (output: Output) => (key: string) =>
  key in output || ['mapping', 'on_error', 'when'].includes(key);

/** The step is taken outside this page. */
function Needed({ output, recipe }: { output: Output; recipe: Recipe | undefined }) {
  const variables = variablesToSet(output, recipe);
  if (variables.length === 0 && !recipe) return null;
  return (
    <div class="out-needed">
      <h3>Still to do</h3>
      <ul>
        {variables.map(({ name, is, from }) => (
          <li key={name}>
            Set <code>{name}</code> in the environment
            {is && <Linked text={`: ${is}${from ? `, from ${from}` : ''}`} />}.
          </li>
        ))}
        {recipe && (
          <li>
            <code>{recipe.page}</code> explains where to find your values.
          </li>
        )}
      </ul>
    </div>
  );
}
