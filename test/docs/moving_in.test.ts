import { configText } from '../../packages/page/src/moving_in/config_text.ts';
import { moveIn } from '../../packages/page/src/moving_in/read_form.ts';
import { must } from '../support/must.ts';
import { blocksOf } from './papers.ts';

test('the form in docs/moving-in.md becomes the config below it', async () => {
  const blocks = blocksOf('docs/moving-in.md');
  const [form = '', config = ''] = ['html', 'yaml'].map(
    (wanted) => blocks.find(({ language }) => language === wanted)?.text,
  );
  const moved = must(await moveIn(form, undefined));
  expect(configText([moved], 'contact.html', 'webform.schema.json')).toBe(config);
});
