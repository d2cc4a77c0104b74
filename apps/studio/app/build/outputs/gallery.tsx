/** The gallery of outputs: a recipe for each service, and each output type. */

import { Dialog } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Search } from '../../inputs.tsx';
import { loader } from '../../relay.ts';
import { choicesAt } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import { isFoundBy, outputsIn, type Recipe, titleOf, variablesToSet } from './recipes.ts';

/** @param onChoose Runs after `onClose`. */
export function Gallery({ onChoose, onClose }: { onChoose: (recipe: Recipe) => void; onClose: () => void }) {
  const [sought, setSought] = useState('');
  const found = (gallery.value ?? [])
    .concat(bareTypes())
    .filter((recipe) => isFoundBy(recipe, sought))
    .toSorted(
      (one, other) =>
        Number(other.name === 'smtp') - Number(one.name === 'smtp') ||
        titleOf(one).localeCompare(titleOf(other)),
    );
  return (
    <Dialog class="wide" title="Where should submissions go?" onClose={onClose}>
      <Search
        label="Search outputs"
        class="set-input"
        placeholder="Search: Gmail, Slack, sheet, CRM …"
        value={sought}
        autofocus
        onType={setSought}
      />
      {gallery.value === undefined && <p class="set-help">Loading …</p>}
      <ul class="gallery-cards">
        {found.map((recipe) => (
          <Card
            key={recipe.name}
            recipe={recipe}
            onChoose={() => {
              onClose();
              onChoose(recipe);
            }}
          />
        ))}
      </ul>
      {gallery.value !== undefined && found.length === 0 && (
        <p class="set-help">No output matches. A webhook reaches any service that accepts JSON.</p>
      )}
    </Dialog>
  );
}

/** Output types without a recipe. */
function bareTypes(): readonly Recipe[] {
  const known = new Set((gallery.value ?? []).flatMap((recipe) => outputsIn(recipe).map(({ type }) => type)));
  return choicesAt(['forms', 'a', 'outputs', 0, 'type'], config.value.value)
    .map(({ value }) => String(value))
    .filter((type) => !known.has(type) && gallery.value !== undefined)
    .map((type) => ({
      name: type,
      title: type,
      page: 'docs/reference.md',
      needs: '',
      config: `forms: {a: {fields: [], outputs: [{type: ${type}}]}}`,
    }));
}

function Card({ recipe, onChoose }: { recipe: Recipe; onChoose: () => void }) {
  const needed = outputsIn(recipe).flatMap((output) => variablesToSet(output, recipe));
  // The output's card asks for these.
  const isMail = recipe.name === 'smtp' || recipe.name.startsWith('mail/');
  const variables = [...new Set(needed.map(({ name }) => name))];
  return (
    <li>
      <button type="button" class="gallery-card" data-recipe={recipe.name} onClick={onChoose}>
        <span class="gallery-name">{titleOf(recipe)}</span>
        {recipe.needs && <span>Needs {recipe.needs}.</span>}
        {recipe.summary && <span>{recipe.summary}</span>}
        {variables.length > 0 && !isMail && (
          <span>
            Set{' '}
            {variables.map((name, index) => (
              <>
                {index > 0 && ', '}
                <code>{name}</code>
              </>
            ))}{' '}
            in the environment.
          </span>
        )}
      </button>
    </li>
  );
}

/** `undefined` until loaded. */
export const gallery = signal<readonly Recipe[] | undefined>(undefined);
export const loadGallery = loader<readonly Recipe[]>('/studio/gallery.json', (loaded) => {
  gallery.value = loaded;
});
