import { basename } from 'node:path';
import type { Form } from '@form-relay/core/form';
import type { About, LearnedModel, Progress } from '../api.ts';
import type { Person } from '../person.ts';
import type { InboxOptions } from './options.ts';

/** The facts that the page begins with, as far as the person may know it. */
export async function aboutOf(
  options: InboxOptions,
  person: Person,
  progress: Progress | undefined,
): Promise<About> {
  const { index, sources, config, configName, actions } = options;
  const [counts, troubles, models] = await Promise.all([
    index.forms(),
    index.troubles(),
    modelsFor(options, person),
  ]);
  const known = config()?.forms;
  const byId = new Map(counts.map((one) => [one.id, one]));
  const ids = [...new Set([...(known?.keys() ?? []), ...byId.keys()])].filter((id) => maySee(person, id));
  const seesAll = person.forms === undefined;
  return {
    // The path tells of the server.
    config: seesAll && person.canSignOut !== true ? configName : basename(configName),
    forms: ids.map((id) => ({
      id,
      title: titleOf(known?.get(id)) ?? id,
      isKnown: known?.has(id) ?? false,
      total: byId.get(id)?.total ?? 0,
      unread: byId.get(id)?.unread ?? 0,
      rights: {
        act: actions !== undefined && person.may('act', id),
        erase: actions !== undefined && person.may('erase', id),
      },
    })),
    places: seesAll
      ? [...sources.archives.filter(({ isDropped }) => !isDropped), ...sources.stores].map(({ name }) => name)
      : [],
    troubles: seesAll ? troubles : { count: 0, latest: [] },
    progress: seesAll ? progress : undefined,
    models,
    person: { name: person.name, canSignOut: person.canSignOut === true },
  };
}

/** In the form's first language. */
function titleOf(form: Form | undefined): string | undefined {
  return form?.title === undefined ? undefined : form.locale(undefined).text(form.title);
}

/** The counts of a model tell of all its forms. */
export async function modelsFor(
  { learner, actions }: InboxOptions,
  person: Person,
): Promise<readonly LearnedModel[]> {
  const models = (await learner?.models()) ?? [];
  return models
    .filter(({ forms }) => forms.every((form) => maySee(person, form)))
    .map((model) => ({
      ...model,
      mayLearn: actions !== undefined && model.forms.every((form) => person.may('act', form)),
    }));
}

export const maySee = (person: Person, form: string): boolean =>
  (person.forms === undefined || person.forms.has(form)) && person.may('read', form);
