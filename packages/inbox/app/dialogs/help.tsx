import { Dialog } from './dialog.tsx';

const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['j', '↓'], 'Older submission'],
  [['k', '↑'], 'Newer submission'],
  [['Enter'], 'Open'],
  [['u'], 'Back to the list'],
  [['/'], 'Search'],
  [['r'], 'Mark as read or unread'],
  [['s'], 'Mark as spam'],
  [['h'], 'Mark as not spam'],
  [['d'], 'Deliver now'],
  [['#'], 'Delete'],
  [['p'], 'Print'],
  [['?'], 'Show these keys'],
];

export const Help = () => (
  <Dialog title="Keys">
    <dl class="keys">
      {keys.map(([names, what]) => (
        <div key={what}>
          <dt>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
