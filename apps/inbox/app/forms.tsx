import { Button } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { About, ActionDone, LearnedModel } from '../src/api.ts';
import { about, perform } from './about.ts';
import { chooseOnly, isFormsOpen, query } from './address.ts';
import { post } from './ask.ts';
import { Attention } from './attention/attention.tsx';
import { counted, dateOf, fullTime, number, shortTime } from './words.ts';

type Shown = About['forms'][number];

export function Forms({ children }: { readonly children?: ComponentChildren }) {
  const { forms = [], places = [], models = [] } = about.value ?? {};
  const total = forms.reduce((all, form) => all + form.total, 0);
  const unread = forms.reduce((all, form) => all + form.unread, 0);
  const { form: chosen } = query.value;
  const choose = (form: string | undefined) => {
    isFormsOpen.value = false;
    const { form: _before, ...others } = query.value;
    chooseOnly(form === undefined ? others : { ...others, form });
  };
  const line = (
    id: string | undefined,
    title: string,
    { tested, ...counts }: Pick<Shown, 'total' | 'unread' | 'tested'>,
    isKnown = true,
  ) => (
    <li key={id ?? ''}>
      <Button
        class="form-line"
        aria-current={chosen === id && (id || !query.value.state) ? 'true' : undefined}
        onClick={() => choose(id)}
      >
        <bdi title={title}>{title}</bdi>
        {!isKnown && <span class="tag">no longer in the config</span>}
        <span class="count">
          {counts.unread > 0 && <b>{number(counts.unread)} unread</b>}
          <span>{number(counts.total)}</span>
        </span>
        {tested && (
          <small
            class={tested.failingSince ? 'tested failing' : 'tested'}
            title={fullTime(tested.failingSince ?? tested.passedAt ?? 0)}
          >
            {tested.failingSince
              ? `Tests have failed since ${shortTime(tested.failingSince)}`
              : tested.passedAt && `Test passed: ${shortTime(tested.passedAt)}`}
          </small>
        )}
      </Button>
    </li>
  );
  return (
    <>
      <Attention />
      <h2 class="side-title">Forms</h2>
      <ul>
        {line(undefined, 'All forms', { total, unread })}
        {forms.map(({ id, title, isKnown, ...counts }) => line(id, title || id, counts, isKnown))}
      </ul>
      {children}
      <div class="side-foot">
        {models.map((model) => (
          <Model key={model.name} model={model} isOnly={models.length === 1} />
        ))}
        {places.length > 0 && (
          <details>
            <summary>Sources</summary>
            <ul class="notes">
              {places.map((place) => (
                <li key={place}>{place}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </>
  );
}

/** A spam model: its marks, its accuracy, and a button that trains it. */
function Model({ model, isOnly }: { readonly model: LearnedModel; readonly isOnly: boolean }) {
  const { name, marks, made, isLearning, why, mayLearn } = model;
  const [isRequested, setRequested] = useState(false);
  const learn = async () => {
    setRequested(true);
    await perform(() => post<ActionDone>('/api/learn', { model: name }));
    setRequested(false);
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
      Learned on {dateOf(at)}. The model would have given points to {number(caught)} of{' '}
      {counted(tried, 'newer spam message')} and {number(reached)} of {counted(people, 'newer message')} from
      people; in general, to at most {Math.round(mostOfOthers * 1_000) / 10}% of messages from people (95%
      confidence).
    </p>
  );
}
