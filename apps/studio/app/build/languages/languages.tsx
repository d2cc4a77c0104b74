/** The texts of the form in its languages, side by side. */
import { useEffect, useState } from 'preact/hooks';
import type { Action } from '../../../edit/index.ts';
import { Options } from '../../options.tsx';
import { loadSchema, schema } from '../../schema.ts';
import { isMap } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import { builtId, form, formPath, languages } from '../fields/form_model.ts';
import { Tool } from '../fields/tool.tsx';
import { AsText, Check, change, held, problemsAt, TextInput, useDraft } from '../settings/index.ts';
import { canonical, languagesOf, nameOfLanguage, textIn, textShown, writeText } from '../texts.ts';
import { type FormText, isMissing, textsOf, withoutLanguage } from './form_texts.ts';

/** In which the relay speaks (packages/languages/src/words.ts). */
const spoken = 'ar cs da de en es fi fr he it ja ko nl pl pt sv tr uk zh'.split(' ');

export function Languages() {
  const tags = languages.value;
  const [first = 'en'] = tags;
  useEffect(() => void loadSchema(), []);
  const texts = textsOf(schema.value ?? {}, config.value.value, formPath.value, first);
  const [onlyOpen, setOnlyOpen] = useState(false);
  const missing = texts.filter((text) => tags.some((tag) => isMissing(text, tag)));
  const open = texts.filter((text) => !isMap(text.value) || missing.includes(text));
  const same = open.length - missing.length;
  const why = config.value.whyText(formPath.value);
  if (why !== undefined) return <AsText path={formPath.value} why={why} />;
  const shown = onlyOpen && open.length > 0 ? open : texts;
  return (
    <div class="b-languages">
      <div class="b-bar">
        {tags.map((tag) => (
          <LanguageChip key={tag} tag={tag} tags={tags} texts={texts} />
        ))}
        <AddLanguage tags={tags} />
      </div>
      {tags.length === 1 ? (
        <p class="aside">
          The form speaks {nameOfLanguage(first)}. Add a language to see its texts side by side. The relay’s
          own words, such as errors, need no translation.
        </p>
      ) : (
        <p class="b-line">
          {missing.length > 0 && <span class="b-warn">{countOf(missing.length)}</span>}
          {same > 0 && <span>{sameOf(same)}</span>}
          {open.length === 0 ? (
            <span class="b-ok">Nothing is missing.</span>
          ) : (
            <Check isOn={onlyOpen} onTick={setOnlyOpen}>
              Show these alone
            </Check>
          )}
        </p>
      )}
      <ul class="b-texts" data-count={tags.length}>
        {shown.map((text, index) => (
          <TextRow
            key={text.path.join(' ')}
            text={text}
            tags={tags}
            isNew={shown[index - 1]?.part !== text.part}
          />
        ))}
      </ul>
    </div>
  );
}

const countOf = (count: number) =>
  count === 1
    ? '1 text lacks a language: visitors read its first one.'
    : `${count} texts lack a language: visitors read their first one.`;

/** Plain text, which all visitors read: some is meant for all of them, the rest awaits translation. */
const sameOf = (count: number) =>
  count === 1 ? '1 text reads the same in all languages.' : `${count} texts read the same in all languages.`;

function LanguageChip({
  tag,
  tags,
  texts,
}: {
  tag: string;
  tags: readonly string[];
  texts: readonly FormText[];
}) {
  const lacking = texts.filter((text) => isMissing(text, tag)).length;
  const { path } = languagesOf(config.value.value, builtId.value ?? '');
  const isShared = path.length === 1;
  const remove = () => {
    const left = tags.filter((one) => one !== tag);
    const listed: readonly Action[] =
      left.length > 1
        ? [{ do: 'remove', path: [...path, tags.indexOf(tag)] }]
        : [
            { do: 'remove', path },
            { do: 'set', path: [...formPath.value, 'language'], value: left[0] ?? 'en' },
          ];
    change([...withoutLanguage(texts, tag, left), ...listed], `Removed ${nameOfLanguage(tag)}`);
  };
  return (
    <span class="b-chip">
      {nameOfLanguage(tag)} <code>{tag}</code>
      {lacking > 0 && <span class="b-warn">{lacking} missing</span>}
      {tags.length > 1 && !isShared && (
        <Tool icon="cross" name={`Remove ${nameOfLanguage(tag)} and its texts`} onClick={remove} />
      )}
    </span>
  );
}

function AddLanguage({ tags }: { tags: readonly string[] }) {
  const { path } = languagesOf(config.value.value, builtId.value ?? '');
  const isShared = path.length === 1;
  const add = (tag: string) => {
    const words = `Added ${nameOfLanguage(tag)}`;
    const isListed = Array.isArray(form.value.languages) || isShared;
    if (isListed) change({ do: 'insert', path, index: tags.length, value: tag }, words);
    else {
      const own: readonly Action[] =
        form.value.language === undefined ? [] : [{ do: 'remove', path: [...formPath.value, 'language'] }];
      change([...own, { do: 'set', path, value: [...tags, tag] }], words);
    }
  };
  const others = spoken.filter((tag) => !tags.some((one) => canonical(one) === tag));
  return (
    <select
      class="b-small"
      aria-label="Add a language"
      value=""
      onChange={(event) => {
        const { value } = event.currentTarget;
        event.currentTarget.value = '';
        if (value !== '') add(value);
      }}
    >
      <option value="">{isShared ? 'Add a language (all forms)' : 'Add a language'}</option>
      <Options of={others.map((tag) => [tag, nameOfLanguage(tag)])} />
    </select>
  );
}

function TextRow({ text, tags, isNew }: { text: FormText; tags: readonly string[]; isNew: boolean }) {
  const why = config.value.whyText(text.path);
  return (
    <li class={`b-text${isNew ? ' b-text-new' : ''}`}>
      <p class="b-text-name">
        {isNew && <strong>{text.part}</strong>} <span class="aside">{text.name}</span>
      </p>
      {why === undefined ? (
        <div class="b-text-cells">
          {tags.map((tag) => (
            <Cell key={tag} text={text} tag={tag} tags={tags} />
          ))}
        </div>
      ) : (
        <AsText path={text.path} why={why} />
      )}
    </li>
  );
}

function Cell({ text, tag, tags }: { text: FormText; tag: string; tags: readonly string[] }) {
  const { value, path, fallback, part, name, isLong } = text;
  const [first = 'en'] = tags;
  const isPlain = !isMap(value);
  const shown = isPlain && tag !== first ? '' : (textIn(value, tag) ?? '');
  const lacks = isMissing(text, tag);
  const write = (typed: string) => {
    // An option or a row without a label is a text alone.
    const isBare = !isMap(held(path.slice(0, -1)));
    const plain = value ?? (fallback && tag !== first ? fallback : undefined);
    const action = writeText(path, plain, tag, typed, tags);
    const label = action.do === 'set' ? action.value : undefined;
    const written: Action =
      isBare && label !== undefined
        ? { do: 'set', path: path.slice(0, -1), value: { value: fallback, label } }
        : action;
    if (isBare && label === undefined) return;
    change(written, `${part}, ${name}, in ${nameOfLanguage(tag)}: ${typed || 'removed'}`);
  };
  const draft = useDraft(shown, write);
  const others = textShown(value, first) ?? fallback;
  const hint = isPlain ? (tag === first ? fallback : `${others} (the same)`) : others;
  return (
    <div class={`b-cell${lacks ? ' b-lacks' : ''}`} lang={tag}>
      <span class="b-tag" aria-hidden="true">
        {tag}
      </span>
      <TextInput
        aria-label={`${part}, ${name}, in ${nameOfLanguage(tag)}`}
        aria-invalid={problemsAt(path).some(({ severity }) => severity === 'error') || undefined}
        draft={draft}
        hint={hint}
        isLong={isLong}
      />
      {lacks && <span class="b-warn">missing</span>}
    </div>
  );
}
