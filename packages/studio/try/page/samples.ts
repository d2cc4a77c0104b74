/** Configs to begin with: the recipes of `relay init`, which are loaded when somebody looks for one. */
import { byId } from '../../src/browser/client/page_parts.ts';
import { firstConfig } from '../first.ts';
import { typeIn } from './share.ts';

type Samples = Readonly<Record<string, string>>;
declare global {
  /** The script of this folder calls it with their texts, by name (build.ts). */
  var tryItSamples: (samples: Samples) => void;
}

let loading: Promise<Samples> | undefined;
const load = () => {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    globalThis.tryItSamples = resolve;
    script.src = 'samples.js';
    script.onerror = () => {
      loading = undefined;
      reject(new Error('samples.js could not be loaded'));
    };
    document.head.append(script);
  });
  return loading;
};

export function followSamples(): void {
  const select = byId<HTMLSelectElement>('sample');
  select.addEventListener('change', async () => {
    const { value } = select;
    const text = value === 'first' ? firstConfig : (await load())[value];
    // Choosing it again begins anew.
    select.value = '';
    if (text === undefined) return;
    byId('linked').textContent = '';
    typeIn(text);
  });
}
