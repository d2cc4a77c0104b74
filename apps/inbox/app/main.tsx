import { render } from 'preact';
import '@form-relay/ui/ui.css';
import './style.css';
import './layout.css';
import './list/list.css';
import './message/message.css';
import './dialogs/dialogs.css';
import './people/people.css';
import './print.css';
import { follow, readAbout } from './about.ts';
import { Inbox } from './inbox.tsx';
import { listen } from './keys.ts';

const root = document.getElementById('inbox');
if (root) render(<Inbox />, root);
void readAbout();
follow();
listen();
