/** All conditions of the form in one list, with sample values and their effects. */

import type { Consequences } from '@form-relay/dry-run/logic';
import { Icon, Options } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useEffect, useId, useState } from 'preact/hooks';
import { decidersIn } from '../../../edit/form_edits.ts';
import { listOf, mapOf, type Path } from '../../../edit/model.ts';
import { Boxes } from '../../inputs.tsx';
import { askJson } from '../../relay.ts';
import type { Field } from '../../schema_nodes.ts';
import { builderTab } from '../../shell/address.ts';
import { config, showPath, state } from '../../store.ts';
import { waitingFor } from '../fields/field_settings.tsx';
import { builtId, formPath, language, openItem } from '../fields/form_model.ts';
import { targetOf } from '../outputs/card.tsx';
import { gallery, loadGallery } from '../outputs/gallery.tsx';
import { isPlaceholder, typeTitle } from '../outputs/recipes.ts';
import { ConditionEditor } from '../settings/condition.tsx';
import { ProblemCount } from '../settings/frame.tsx';
import { fieldsOf, held, pathText, problemsWithin } from '../settings/places.ts';
import { parts, type Rule, rulesIn, sentenceOf } from './rules.ts';
import './logic.css';

type Values = Readonly<Record<string, readonly string[]>>;

/** Sample values by form. */
const tried = signal<Readonly<Record<string, Values>>>({});

export function Logic() {
  const [open, setOpen] = useState<string>();
  useEffect(() => void loadGallery(), []);
  const form = builtId.value ?? '';
  const path = formPath.value;
  const fields = fieldsOf(path);
  const outputs = held([...path, 'outputs']);
  const names = listOf(outputs)
    .map(mapOf)
    .map(
      (one, index) =>
        targetOf(one, state.value?.form?.outputs[index]) || typeTitle(String(one.type), gallery.value ?? []),
    );
  const all = rulesIn(path, config.value.value, names);
  const rules = all.filter((rule) => rule.condition !== undefined || pathText(rule.path) === open);
  const deciding = new Set(all.flatMap(({ condition }) => decidersIn(condition)));
  const values = tried.value[form] ?? {};
  const follows = useConsequences(form, values);
  return (
    <div class="logic">
      {deciding.size > 0 && (
        <section class="logic-try" aria-labelledby="logic-try">
          <h2 id="logic-try">Try values</h2>
          <div class="logic-values">
            {fields
              .filter(({ name }) => deciding.has(name))
              .map((field) => (
                <TryValue
                  key={field.name}
                  field={field}
                  follows={follows}
                  values={values[field.name] ?? []}
                  onChange={(next) => {
                    tried.value = { ...tried.value, [form]: { ...values, [field.name]: next } };
                  }}
                />
              ))}
          </div>
          {follows && (
            <Follows {...{ follows, fields }} outputs={isPlaceholder(listOf(outputs)) ? [] : names} />
          )}
        </section>
      )}
      {rules.length === 0 && (
        <p class="b-none">
          No conditions yet. A condition shows a field or step, requires a field, or chooses outputs and
          thank-you texts by the values that visitors enter.
        </p>
      )}
      {Object.entries(parts).map(([part, heading]) => {
        const own = rules.filter((rule) => rule.part === part);
        return own.length === 0 ? null : (
          <section key={part} aria-labelledby={`logic-${part}`}>
            <h2 id={`logic-${part}`}>{heading}</h2>
            <ul class="logic-rules">
              {own.map((rule) => (
                <RuleRow
                  key={pathText(rule.path)}
                  rule={rule}
                  fields={fields}
                  isMet={follows && isMet(rule, follows)}
                  isOpen={open === pathText(rule.path)}
                  onOpen={(isOpen) => setOpen(isOpen ? pathText(rule.path) : undefined)}
                />
              ))}
            </ul>
          </section>
        );
      })}
      <label class="logic-add">
        <span>Add a condition</span>
        <select
          value=""
          onChange={({ currentTarget }) => {
            setOpen(currentTarget.value);
            currentTarget.value = '';
          }}
        >
          <option value="">Choose what the condition controls</option>
          <Options
            of={all
              .filter(({ condition, part }) => condition === undefined && part !== 'thanks')
              .map((rule) => [pathText(rule.path), `${rule.does} only if …`])}
          />
        </select>
      </label>
    </div>
  );
}

/** The relay's result for the values. `undefined` until it answers, or while the config does not load. */
function useConsequences(form: string, values: Values): Consequences | undefined {
  const [follows, setFollows] = useState<Consequences>();
  const pairs = Object.entries(values).flatMap(([name, all]) => all.map((value) => [name, value]));
  const query = new URLSearchParams({
    form,
    lang: language.value,
    values: String(new URLSearchParams(pairs)),
  });
  const latest = state.value;
  useEffect(() => {
    let isLatest = true;
    void askJson<Consequences>(`/studio/consequences?${query}`).then((found) => {
      if (isLatest) setFollows(found);
    });
    return () => {
      isLatest = false;
    };
  }, [String(query), latest]);
  return follows;
}

function isMet({ part, index, names, path }: Rule, { shown, required, outputs, thanks }: Consequences) {
  if (part === 'outputs') return outputs[index] === true;
  if (part === 'thanks') return thanks === index;
  const those = path.at(-1) === 'required_when' ? required : shown;
  return names.some((name) => those.includes(name));
}

interface TryProps {
  readonly field: Field;
  readonly follows: Consequences | undefined;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

function TryValue({ field, follows, values, onChange }: TryProps) {
  const { name, label, type, options } = field;
  const id = useId();
  const offered = follows?.offered[name];
  const wordsOf = (value: string) => options.find((one) => one.value === value)?.label ?? value;
  const [only] = offered ?? [];
  if (follows?.several.includes(name) && offered)
    return (
      <fieldset class="logic-value">
        <legend>{label}</legend>
        <Boxes
          options={offered.map((value) => ({ value, label: wordsOf(value) }))}
          values={values}
          onChange={onChange}
        />
      </fieldset>
    );
  if (follows?.parts.includes(name) || (offered?.length === 1 && type !== 'select'))
    return (
      <label class="logic-value logic-tick">
        <input
          type="checkbox"
          checked={values.length > 0}
          onChange={({ currentTarget: { checked } }) => onChange(checked ? [only ?? 'on'] : [])}
        />
        {offered ? label : `${label}: filled in`}
      </label>
    );
  const [value = ''] = values;
  const set = (next: string) => onChange(next === '' ? [] : [next]);
  return (
    <div class="logic-value">
      <label for={id}>{label}</label>
      {offered ? (
        <select id={id} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
          <option value="">Empty</option>
          <Options of={offered.map((one) => [one, wordsOf(one)])} />
        </select>
      ) : (
        <input
          id={id}
          class="set-input"
          type={inputTypes.find((one) => one === type) ?? 'text'}
          step="any"
          placeholder="Empty"
          autocomplete="off"
          value={value}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
    </div>
  );
}

// Preact's types require a single literal.
const inputTypes = ['number', 'date', 'time'] as string[] as 'text'[];

interface FollowsProps {
  readonly follows: Consequences;
  readonly fields: readonly Field[];
  readonly outputs: readonly string[];
}

function Follows({ follows, fields, outputs }: FollowsProps) {
  const { shown, required, confirmation, redirect } = follows;
  const labels = (which: (name: string) => boolean) =>
    fields.filter(({ name }) => which(name)).map(({ label }) => label);
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ['Shown', labels((name) => shown.includes(name))],
    ['Hidden', labels((name) => !shown.includes(name))],
    ['Required', labels((name) => required.includes(name))],
    ['Sent to', outputs.filter((_, index) => follows.outputs[index])],
    redirect === undefined ? ['Visitors read', [confirmation]] : ['Redirect visitors to', [redirect]],
  ];
  return (
    <dl class="logic-follows" aria-live="polite">
      {lines.map(([name, all]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{all.length === 0 ? <i>nothing</i> : all.map((one, index) => <bdi key={index}>{one}</bdi>)}</dd>
        </div>
      ))}
    </dl>
  );
}

interface RuleProps {
  readonly rule: Rule;
  readonly fields: readonly Field[];
  readonly isMet: boolean | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

function RuleRow({ rule, fields, isMet, isOpen, onOpen }: RuleProps) {
  const { does, path, condition, part, names } = rule;
  const [name = ''] = names;
  const sentence = sentenceOf(condition, fields);
  return (
    <li class={`logic-rule${isMet ? ' logic-met' : ''}`}>
      <button type="button" class="logic-open" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
        <Icon name={isMet ? 'check' : 'ring'} />
        <span>
          <b>{does}</b> {condition === undefined ? 'always' : `if ${sentence ?? '…'}`}
          {isMet !== undefined && <span class="unseen">{isMet ? ' (now)' : ' (not now)'}</span>}
        </span>
        <ProblemCount of={problemsWithin(path)} />
      </button>
      {isOpen && (
        <div class="logic-body settings">
          <ConditionEditor
            path={path}
            label={`${does} only if`}
            without={part !== 'fields' ? [] : path.at(-1) === 'visible_when' ? waitingFor(name) : [name]}
          />
          <button type="button" class="b-small" onClick={() => showWhole(path)}>
            {whole[part]}
          </button>
        </div>
      )}
    </li>
  );
}

const whole = {
  fields: 'Show the field',
  steps: 'Show the step',
  outputs: 'Show the output',
  thanks: 'Show the form’s settings',
} as const;

/** Opens the item that has the condition, with all its settings. */
function showWhole(path: Path): void {
  const part = path[2];
  builderTab.value = part === 'outputs' ? 'outputs' : 'fields';
  if (part === 'fields') openItem(Number(path[3]));
  else showPath(part === 'thanks' ? path.slice(0, 2) : path.slice(0, 4));
}
