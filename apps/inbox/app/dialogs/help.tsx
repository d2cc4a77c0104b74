import { keys } from '../keys.ts';
import { Dialog } from './dialog.tsx';

const names: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: 'Esc',
  Delete: 'Del',
  ' ': 'Space',
};

export const Help = () => (
  <Dialog title="Keys">
    <dl class="keys">
      {keys.map(({ keys, does }) => (
        <div key={does}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{names[key] ?? (/^[A-Z]$/.test(key) ? `Shift ${key.toLowerCase()}` : key)}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
