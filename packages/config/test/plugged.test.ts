/** A failing plug-in affects only its own work. */
import type { Plugin } from '../../core/src/plugin.ts';
import type { BundledPlugin } from '../../plugin-host/src/bundled_plugin.ts';
import { createRelay } from '../../runtimes/src/index.ts';

const config =
  'forms: {contact: {fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';

test('a failing plug-in does not stop the others', async () => {
  const events: string[] = [];
  const heard: string[] = [];
  const broken: Plugin = {
    name: 'broken',
    start: ({ wait }) => {
      wait(Promise.reject(new Error('wait')));
      throw new Error('start');
    },
  };
  const next: Plugin = {
    name: 'next',
    start: ({ signal, wait }) => {
      heard.push('start');
      const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
      wait(ended.then(() => heard.push('end')));
    },
  };
  const log = (_: string, event: string) => void events.push(event);
  const relay = createRelay({ config, plugins: [broken, next], services: { log } });
  await relay.config.get();
  await relay.close();
  expect(heard).toEqual(['start', 'end']);
  expect(events).toEqual(['config_loaded', 'internal_error', 'internal_error']);
  expect(relay.config.state).toBe('fresh');
});

test('a plug-in that could not be loaded is loaded again', async () => {
  let loads = 0;
  const late: BundledPlugin = {
    name: 'late',
    owns: ['outputType http_post'],
    load: async () => {
      loads += 1;
      if (loads === 1) throw new Error('no file descriptor is free');
      return { name: 'late' };
    },
  };
  const relay = createRelay({ config, bundled: [late], services: { log: () => {} } });
  expect(await relay.config.get()).toBeUndefined();
  expect(await relay.config.get()).toBeDefined();
  await relay.close();
});
