import { required } from '@form-relay/schema/schema';
import { type Seeds, seedsOf } from '../lists/features.ts';
import { listFile } from '../lists/list.ts';
import { logOdds, strengthOf } from '../lists/model.ts';
import { signal } from './signal.ts';
import { freeTexts } from './typed.ts';

/** No false alarm among so many newer messages of people bounds their rate at half a percent (rule of three). */
export const enoughPeople = 600;

/** Names the key in the environment: without it, nobody can tell what a model learned. */
export const learnedKey = 'SPAM_MODEL_KEY';

export const learned = signal({
  name: 'learned',
  summary:
    'Texts like those that you marked as spam: `relay rules learn` writes a model of them. It counts as much as it was right about newer messages of yours.',
  weight: 6,
  example: '{model: spam.model}',
  needs: [learnedKey],
  keys: {
    model: required(
      'The path of the model, from where the config is, as `relay rules learn` writes it (docs/learned.md).',
      listFile('model'),
    ),
  },
  model: ({ model }, lists) => ({ path: model.path, read: lists.of(model)?.model }),
  score: ({ model: file }, lists) => {
    const model = lists.of(file)?.model;
    let seeds: Seeds | undefined;
    return (seen, { services }) => {
      if (!model) return { silent: 'its model was not read' };
      const key = services.env(learnedKey) ?? '';
      if (key === '') return { silent: `${learnedKey} is not set` };
      seeds ??= seedsOf(key);
      if (seeds.check !== model.check) return { silent: `its model was made with another ${learnedKey}` };
      const score = strengthOf(model, logOdds(model, freeTexts(seen), seeds));
      return score > 0
        ? {
            score,
            why: `its model of ${model.spam} spams says so`,
            staysBelow: model.people < enoughPeople ? 'actions' : 'drop',
          }
        : undefined;
    };
  },
});
