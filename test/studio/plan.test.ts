/** How the builder arranges fields: whatever is done, groups and steps name the fields that stand in them, in their order. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { groupFindings } from '../../packages/relay/src/config/groups_and_steps.ts';
import { nameFrom } from '../../packages/studio/app/build/fields/names.ts';
import {
  addGroup,
  addStep,
  dissolve,
  insertAt,
  isSameSlot,
  moveTo,
  nextSlot,
  planOf,
  removeItem,
  slotIn,
  slotOf,
  slotsFor,
} from '../../packages/studio/app/build/fields/plan.ts';
import { textIn, textShown, writeText } from '../../packages/studio/app/build/texts.ts';
import { type Action, applied, edit, type Json } from '../../packages/studio/edit/index.ts';

const written = `fields:
  - note: Hello
  - {name: a}
  - {name: b}
  - {name: c, type: hidden}
  - {name: d}
  - note: Bye
  - {name: e}
groups:
  - {legend: G, fields: [b, d]}
steps:
  - {title: One, fields: [a]}
  - {title: Two, fields: [b, d]}
  - {title: Three, fields: [e]}
`;
const form = (text: string): Json => parse(text);

function edited(text: string, actions: readonly Action[]): string {
  const made = edit(text, actions);
  if (!made.ok) throw new Error(made.says);
  return applied(text, made.changes);
}

/** Each item by its name, or `note`, with its group and step. */
const shown = (text: string) =>
  planOf(form(text)).items.map(({ name, group, step }) => `${name || 'note'}${group ?? '-'}${step ?? '-'}`);

const findings = (text: string) => {
  const value = form(text) as Record<string, unknown>;
  return groupFindings(value, value.fields as Record<string, unknown>[]);
};

describe('the plan of a form', () => {
  test('has each item in the group and step where visitors see it', () => {
    expect(shown(written)).toEqual(['note-0', 'a-0', 'b01', 'c01', 'd01', 'note-2', 'e-2']);
  });

  test('moves a field over each boundary, one after the other', () => {
    const seen: string[] = [];
    let text = written;
    for (;;) {
      const plan = planOf(form(text));
      const at = plan.items.findIndex(({ name }) => name === 'e');
      const slot = nextSlot(plan, at, -1);
      if (!slot) break;
      text = edited(text, moveTo([], plan, at, slot));
      seen.push(shown(text).join(' '));
    }
    expect(seen).toMatchInlineSnapshot(`
      [
        "note-0 a-0 b01 c01 d01 e-2 note-2",
        "note-0 a-0 b01 c01 d01 e-1 note-1",
        "note-0 a-0 b01 c01 d01 e01 note-1",
        "note-0 a-0 b01 c01 e01 d01 note-1",
        "note-0 a-0 b01 e01 c01 d01 note-1",
        "note-0 a-0 e01 b01 c01 d01 note-1",
        "note-0 a-0 e-1 b01 c01 d01 note-1",
        "note-0 a-0 e-0 b01 c01 d01 note-1",
        "note-0 e-0 a-0 b01 c01 d01 note-1",
        "e-0 note-0 a-0 b01 c01 d01 note-1",
      ]
    `);
  });

  test('stays one that the relay loads, whatever is done in whatever order', () => {
    const deed = fc.record({
      kind: fc.constantFrom(
        'move',
        'up',
        'down',
        'insert',
        'remove',
        'group',
        'step',
        'join',
        'ungroup',
        'into',
      ),
      one: fc.nat(20),
      other: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 25 }), (deeds) => {
        let text = written;
        let count = 0;
        for (const { kind, one, other } of deeds) {
          const plan = planOf(form(text));
          const { items } = plan;
          const at = items.length === 0 ? -1 : one % items.length;
          const slots = slotsFor(plan, kind === 'insert' ? undefined : at);
          const slot = slots[other % slots.length];
          const next = kind === 'up' || kind === 'down' ? nextSlot(plan, at, kind === 'up' ? -1 : 1) : slot;
          const into = slotIn(plan, at, {
            group: undefined,
            step: plan.steps.length > 0 ? other % plan.steps.length : undefined,
          });
          const actions: readonly Action[] = (() => {
            if (kind === 'insert') {
              count += 1;
              return slot ? insertAt([], plan, { name: `n${count}` }, slot) : [];
            }
            if (at < 0) return [];
            if (kind === 'remove') return items.length > 1 ? removeItem([], plan, at) : [];
            if (kind === 'group') return addGroup([], plan, at, 'New');
            if (kind === 'step') return addStep([], plan, at, ['First', 'Next']);
            if (kind === 'join')
              return plan.steps.length > 0 ? dissolve([], plan, 'steps', other % plan.steps.length) : [];
            if (kind === 'ungroup')
              return plan.groups.length > 0 ? dissolve([], plan, 'groups', other % plan.groups.length) : [];
            const to = kind === 'into' ? into : next;
            return to ? moveTo([], plan, at, to) : [];
          })();
          text = actions.length === 0 ? text : edited(text, actions);
          expect(findings(text), `${kind} ${one} ${other}\n${text}`).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('puts an item exactly into the slot that was chosen', () => {
    const plan = planOf(form(written));
    for (const { index, isNote, type } of plan.items) {
      for (const slot of slotsFor(plan, index)) {
        const moved = planOf(form(edited(written, moveTo([], plan, index, slot))));
        const gone = plan.steps.length - moved.steps.length;
        if (isNote || type === 'hidden' || gone > 0 || moved.groups.length < plan.groups.length) continue;
        expect(isSameSlot(slotOf(moved, slot.before), slot)).toBe(true);
      }
    }
  });
});

test('names come from labels', () => {
  const cases = [
    ['Your e-mail', 'your_e_mail'],
    ['Größe (cm)', 'grosse_cm'],
    ['I have read the [terms](https://example.com).', 'i_have_read_the_terms'],
    ['お名前', ''],
    ['__a__', 'a'],
  ] as const;
  for (const [label, name] of cases) expect(nameFrom(label)).toBe(name);
});

describe('texts by language', () => {
  test('are read as the relay reads them', () => {
    const title = { de: 'Hallo', 'pt-br': 'Olá' };
    expect([textIn(title, 'pt-BR'), textIn(title, 'fr'), textShown(title, 'fr'), textIn('Hi', 'fr')]).toEqual(
      ['Olá', undefined, 'Hallo', 'Hi'],
    );
  });

  test('become a map with the first translation, and lose a key with the last word', () => {
    const path = ['title'];
    expect(writeText(path, 'Hi', 'de', 'Hallo', ['en', 'de'])).toEqual({
      do: 'set',
      path,
      value: { en: 'Hi', de: 'Hallo' },
    });
    expect(writeText(path, 'Hi', 'en', 'Hello', ['en', 'de'])).toEqual({ do: 'set', path, value: 'Hello' });
    expect(writeText(path, { en: 'Hi', de: 'Hallo' }, 'de', '')).toEqual({
      do: 'remove',
      path: ['title', 'de'],
    });
    expect(writeText(path, { de: 'Hallo' }, 'de', '')).toEqual({ do: 'remove', path });
  });
});
