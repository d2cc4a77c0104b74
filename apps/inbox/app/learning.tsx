import { useState } from 'preact/hooks';
import type { ActionDone, LearnedModel } from '../src/api.ts';
import { about, tell } from './about.ts';
import { post, wordsOf } from './ask.ts';
import { counted, dateOf, number } from './words.ts';

/** The marks and figures that the config's models learned from. */
export function Learning() {
  const { models = [] } = about.value ?? {};
  return models.map((model) => <Model key={model.name} model={model} isOnly={models.length === 1} />);
}

function Model({ model, isOnly }: { readonly model: LearnedModel; readonly isOnly: boolean }) {
  const { name, marks, made, isLearning, why, mayLearn } = model;
  const [isRequested, setRequested] = useState(false);
  const learn = async () => {
    setRequested(true);
    try {
      const { isDone, words } = await post<ActionDone>('/api/learn', { model: name });
      tell(words, !isDone);
    } catch (error) {
      tell(wordsOf(error), true);
    } finally {
      setRequested(false);
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
        <button type="button" class="tool" disabled={isLearning || isRequested} onClick={() => void learn()}>
          {isLearning ? 'Learning…' : 'Learn now'}
        </button>
      )}
    </section>
  );
}

function Made({ made }: { readonly made: NonNullable<LearnedModel['made']> }) {
  const { at, tried, caught, people, reached, mostOfOthers } = made;
  return (
    <p>
      Learned on {dateOf(at)}. It would have counted against {number(caught)} of{' '}
      {counted(tried, 'newer spam')}, and {number(reached)} of {counted(people, 'newer message')} from people;
      against at most {Math.round(mostOfOthers * 1_000) / 10} % of others (95 % certain).
    </p>
  );
}
