/** The heading of a group or step: its name in place, and a way to take it away. */
import { useEffect, useRef } from 'preact/hooks';
import { change, TextInput, useDraft } from '../settings/index.ts';
import { textIn, writeText } from '../texts.ts';
import { dissolveRun, focusHeading, pathOfTitle, titleOfRun } from './actions.ts';
import { language, plan } from './form_model.ts';
import type { Runs } from './plan.ts';
import { Tool } from './tool.tsx';

export function Heading({ of, run }: { readonly of: Runs; readonly run: number }) {
  const title = plan.value[of][run]?.title;
  const isGroup = of === 'groups';
  const what = isGroup ? 'group' : `step ${run + 1}`;
  const draft = useDraft(textIn(title, language.value) ?? '', (typed) => {
    if (typed === '') return;
    change(writeText(pathOfTitle(of, run), title, language.value, typed), `Renamed the ${what} to ${typed}`);
  });
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focusHeading.value !== `${of}.${run}`) return;
    focusHeading.value = undefined;
    const input = place.current?.querySelector('input');
    input?.focus();
    input?.select();
  });
  return (
    <div class={`b-heading b-heading-${of}`} ref={place}>
      {!isGroup && <span class="b-number">Step {run + 1}</span>}
      <TextInput aria-label={isGroup ? 'Name of the group' : `Name of step ${run + 1}`} draft={draft} />
      <Tool
        icon="cross"
        name={
          isGroup
            ? `Remove the group ${titleOfRun(of, run)}, keep its fields`
            : `Join step ${run + 1} with its neighbour`
        }
        onClick={() => dissolveRun(of, run)}
      />
    </div>
  );
}
