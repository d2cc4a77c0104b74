import { templates } from '../../packages/starters/src/templates.ts';
import { proseOf } from './papers.ts';

const page = proseOf('docs/starting-points.md');

test('the manual says when to use each template', () => {
  const rows = [...page.matchAll(/^- `(\w+)`: \w/gm)].map(([, name]) => name);
  expect(rows).toEqual(templates.map(({ name }) => name));
});

test('the manual lists templates with a queue, and the variables that templates need', () => {
  const keeping = templates.filter(({ config }) => /^ {4}keep: /m.test(config)).map(({ name }) => name);
  const [, named = ''] = /would hurt: (.*?) \[keep\]/s.exec(page) ?? [];
  expect([...named.matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(keeping.toSorted());
  for (const { config } of templates)
    for (const [, variable] of config.matchAll(/env "(\w+)"/g)) expect(page).toContain(`\`${variable}\``);
});
