import { render } from 'preact';
import '@form-relay/ui/ui.css';
import './style.css';
import { Studio } from './shell/studio.tsx';

const root = document.getElementById('studio');
if (root) render(<Studio />, root);
