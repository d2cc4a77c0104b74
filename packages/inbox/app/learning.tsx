import { useState } from 'preact/hooks';
import type { ActionDone, LearnedModel } from '../src/api.ts';
import { about, tell } from './about.ts';
import { post, wordsOf } from './ask.ts';
import { counted, dateOf, number } from './words.ts';

/** What the models of the config learned, and learn from. */
export function Learning() {
  const { models = [] } = about.value ?? {};
  return models.map((model) => <Model key={model.name} model={model} isOnly={models.length === 1} />);
}

function Model({ model, isOnly }: { readonly model: LearnedModel; readonly isOnly: boolean }) {
  const { name, marks, made, isLearning, why, mayLearn } = model;
  const [isAsked, setAsked] = useState(false);
  const learn = async () => {
    setAsked(true);
    try {
      const { isDone, words } = await post<ActionDone>('/api/learn', { model: name });
      tell(words, !isDone);
    } catch (error) {
      tell(wordsOf(error), true);
    } finally {
      setAsked(false);
    }
  };
  return (
    <section class="learning" aria-label={`Learning: ${name}`}>
      <h3>Learned spam{!isOnly && <bdi>: {name}</bdi>}</h3>
      <p>
        {number(marks.spam)} marked as spam, {number(marks.ham)} as not spam
        {made && marks.newer > 0 && `; ${number(marks.newer)} of them new`}.
      </p>
      {made && <Made made={made} />}
      {why && <p class="why">Nothing new was learned: {why}.</p>}
      {mayLearn && (
        <button type="button" class="tool" disabled={isLearning || isAsked} onClick={() => void learn()}>
          {isLearning ? 'Learning…' : 'Learn now'}
        </button>
      )}
    </section>
  );
}

/** No false alarm among n people bounds their rate at 3/n, with 95 % certainty. */
function Made({ made }: { readonly made: NonNullable<LearnedModel['made']> }) {
  const { at, tried, caught, people } = made;
  const bound = Math.min(100, Math.round(3_000 / Math.max(1, people)) / 10);
  return (
    <p>
      Learned on {dateOf(at)}. Of {counted(tried, 'newer spam')}, it would have caught {number(caught)},
      without a false alarm among {counted(people, 'person', 'people')}. So it takes at most {bound} % of
      people for spam (95 % certain).
    </p>
  );
}
