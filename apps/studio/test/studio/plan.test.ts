/** The builder's layout: after any change, groups and steps name the fields inside them, in order. */
import fc from 'fast-check';
import { parse } from 'yaml';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import {
  addGroup,
  addStep,
  dissolve,
  insertAt,
  moveTo,
  nextSlot,
  planOf,
  removeItem,
  slotsFor,
} from '../../app/build/fields/plan.ts';
import { applied, edit } from '../../edit/edit.ts';
import type { Action, Json } from '../../edit/model.ts';

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
  const outputs = [{ type: 'http_post', url: 'https://example.com' }];
  const parsed = parseConfig(
    JSON.stringify({ forms: { f: { ...(form(text) as object), outputs } } }),
    'webform.yaml',
  );
  return parsed.ok ? [] : parsed.error.map(({ message }) => message);
};

describe('the plan of a form', () => {
  test('shows each item in the group and step in which visitors see it', () =>
    expect(shown(written)).toEqual(['note-0', 'a-0', 'b01', 'c01', 'd01', 'note-2', 'e-2']));

  test('always loads, after any changes in any order', () => {
    const deed = fc.record({
      kind: fc.constantFrom('move', 'up', 'down', 'insert', 'remove', 'group', 'step', 'join', 'ungroup'),
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
            return next ? moveTo([], plan, at, next) : [];
          })();
          text = actions.length === 0 ? text : edited(text, actions);
          expect(findings(text), `${kind} ${one} ${other}\n${text}`).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });
});
