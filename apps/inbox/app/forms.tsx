import { Button } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import type { About } from '../src/api.ts';
import { about } from './about.ts';
import { chooseOnly, isFormsOpen, query } from './address.ts';
import { Attention } from './attention/attention.tsx';
import { Learning } from './learning.tsx';
import { fullTime, number, shortTime } from './words.ts';

type Shown = About['forms'][number];

/** The forms with their counts. */
export function Forms({ children }: { readonly children?: ComponentChildren }) {
  const { forms = [], places = [] } = about.value ?? {};
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
              ? `Tests fail since ${shortTime(tested.failingSince)}`
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
        <Learning />
        {places.length > 0 && (
          <details>
            <summary>Where it reads</summary>
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
