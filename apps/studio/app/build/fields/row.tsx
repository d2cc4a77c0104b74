/** A field or note: its picture, its actions, and its settings when it is open. */

import { Button, Icon } from '@form-relay/ui/controls';
import { useEffect, useRef } from 'preact/hooks';
import { decidersIn } from '../../../edit/form_edits.ts';
import { isMap } from '../../../edit/model.ts';
import { config, editor, state } from '../../store.ts';
import { AsText } from '../settings/frame.tsx';
import { problemsWithin } from '../settings/places.ts';
import { Tool } from '../settings/rows.tsx';
import { textShown } from '../texts.ts';
import { duplicate, moveBy, remove, titleOf } from './actions.ts';
import { drag, dragged } from './dragging.ts';
import { FieldSettings } from './field_settings.tsx';
import { canvas, formPath, language, openIndex, openItem, plan } from './form_model.ts';
import { Picture, partOf } from './palette.tsx';
import type { Item } from './plan.ts';

/** The server's picture; for a field that was just renamed, the one at its position. */
function pictureOf(item: Item): string | undefined {
  const shown = canvas.value;
  if (!shown) return undefined;
  if (item.isNote) return shown.notes[textShown(item.value.note, language.value) ?? ''];
  const own = shown.fields[item.name];
  if (own !== undefined) return own;
  const place = plan.value.items.filter((one) => !one.isNote && one.index < item.index).length;
  const before = shown.names[place];
  const isRenamed = before !== undefined && plan.value.items.every(({ name }) => name !== before);
  return isRenamed ? shown.fields[before] : undefined;
}

const typeTitle = (type: string) => partOf(type)?.title ?? type;

const inWords = (value: unknown) => [value].flat().map(String).join(' or ');
/** Describes when the field is shown. */
function conditionOf({ value: { visible_when: when } }: Item): string | undefined {
  if (!isMap(when)) return undefined;
  const deciders = decidersIn(when);
  if (when.field === undefined) return `depends on ${[...new Set(deciders)].join(' and ')}`;
  const decider = plan.value.items.find(({ name }) => name === String(when.field));
  const label = decider ? titleOf(decider) : String(when.field);
  if (when.is !== undefined) return `if ${label} is ${inWords(when.is)}`;
  if (when.is_not !== undefined) return `if ${label} is not ${inWords(when.is_not)}`;
  if (when.filled === undefined) return `depends on ${label}`;
  return String(when.filled) === 'false' ? `if ${label} is empty` : `if ${label} is filled in`;
}

export function Row({ item }: { readonly item: Item }) {
  const { index } = item;
  const path = [...formPath.value, 'fields', index];
  const why = config.value.whyText(path);
  const isOpen = openIndex.value === index;
  const title = titleOf(item);
  const isDragged = dragged.value?.index === index;
  const press = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (target.closest('.b-open')) return;
    const isArrow = event.key === 'ArrowUp' || event.key === 'ArrowDown';
    const part = target.dataset.part ?? 'edit';
    if (isArrow && (event.altKey || part === 'handle')) {
      event.preventDefault();
      moveBy(item, event.key === 'ArrowUp' ? -1 : 1, part);
    } else if (event.key === 'Delete' && part === 'edit') {
      event.preventDefault();
      remove(item);
    }
  };
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // Whether the field was opened here, not by a click on its line in the text.
    const isFromHere = document.activeElement?.closest('.b') ?? document.activeElement === document.body;
    if (isOpen && !isFromHere) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  if (why !== undefined) return <TextRow item={item} why={why} />;
  const toggle = () => openItem(isOpen ? undefined : index);
  return (
    <li
      ref={row}
      class={`b-row${isOpen ? ' b-selected' : ''}${isDragged ? ' b-dragged' : ''}`}
      data-index={index}
      data-name={item.name}
      onKeyDown={press}
    >
      <div class="b-head">
        <Button
          class="b-handle"
          aria-label={`Move ${title}: drag, or press the arrow keys`}
          data-part="handle"
          onPointerDown={(event) => drag(event, item)}
        >
          <Icon name="grip" />
        </Button>
        <Button class="b-edit" data-part="edit" aria-expanded={isOpen} onClick={toggle}>
          <span class="unseen">Edit </span>
          <Facts item={item} title={title} />
        </Button>
        <span class="b-tools">
          <Tool icon="up" part="up" name={`Move ${title} up`} onClick={() => moveBy(item, -1, 'up')} />
          <Tool icon="down" part="down" name={`Move ${title} down`} onClick={() => moveBy(item, 1, 'down')} />
          <Tool icon="copy" part="copy" name={`Duplicate ${title}`} onClick={() => duplicate(item)} />
          <Tool icon="bin" part="bin" name={`Delete ${title}`} onClick={() => remove(item)} />
        </span>
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: for a mouse alone; the button above does the same. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: for a mouse alone; the button above does the same. */}
      <div class="b-face" onClick={toggle}>
        <Face item={item} />
      </div>
      {isOpen && (
        <fieldset class="b-open" aria-label={`Settings of ${title}`}>
          <FieldSettings item={item} />
        </fieldset>
      )}
    </li>
  );
}

function Facts({ item, title }: { readonly item: Item; readonly title: string }) {
  const problems = problemsWithin([...formPath.value, 'fields', item.index]);
  const condition = conditionOf(item);
  return (
    <>
      {item.isNote ? (
        <span class="b-name">Note</span>
      ) : (
        <>
          <span class="unseen">{title}, </span>
          <code class="b-name">{item.name || 'no name yet'}</code>
          <span class="b-type">{typeTitle(item.type)}</span>
        </>
      )}
      {String(item.value.required) === 'true' && <span class="b-mark">required</span>}
      {condition && <span class="b-mark b-when">{condition}</span>}
      {problems.length > 0 && (
        <span class={`b-mark ${problems.some(({ severity }) => severity === 'error') ? 'b-bad' : 'b-warn'}`}>
          {problems.length === 1 ? '1 problem' : `${problems.length} problems`}
        </span>
      )}
    </>
  );
}

function Face({ item }: { readonly item: Item }) {
  const html = pictureOf(item);
  if (html === undefined) {
    const text = item.isNote ? (textShown(item.value.note, language.value) ?? '') : titleOf(item);
    const says = item.type === 'hidden' ? 'Visitors do not see it.' : typeTitle(item.type);
    return (
      <p class="b-plain">
        {text} {!item.isNote && <span class="aside">{says}</span>}
      </p>
    );
  }
  return <Picture html={html} direction={canvas.value?.direction} language={state.value?.form?.language} />;
}

/** A field whose YAML the builder cannot edit. */
function TextRow({ item, why }: { readonly item: Item; readonly why: string }) {
  const path = [...formPath.value, 'fields', item.index];
  return (
    <li class="b-row b-astext" data-index={item.index} data-name={item.name}>
      <div class="b-head">
        <Button
          class="b-edit"
          data-part="edit"
          onClick={() => editor.value?.show(path)}
          aria-label={`Show ${titleOf(item)} in the config`}
        >
          <Facts item={item} title={titleOf(item)} />
        </Button>
      </div>
      <div class="b-face">
        <Face item={item} />
      </div>
      <AsText path={path} why={why} />
    </li>
  );
}
