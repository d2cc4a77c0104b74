import { Again } from './again.tsx';
import { Delete } from './delete.tsx';
import { dialog } from './dialog.tsx';
import { Export } from './export.tsx';
import { Help } from './help.tsx';
import { Person } from './person.tsx';
import { Restore } from './restore.tsx';

export function Dialogs() {
  const shown = dialog.value;
  switch (shown?.kind) {
    case undefined:
      return null;
    case 'help':
      return <Help />;
    case 'export':
      return <Export ids={shown.ids} />;
    case 'person':
      return <Person />;
    case 'again':
      return <Again message={shown.message} />;
    case 'restore':
      return <Restore message={shown.message} />;
    case 'delete':
      return <Delete entries={shown.entries} of={shown.of} />;
  }
}
