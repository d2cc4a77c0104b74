import { render } from 'preact';
import './style.css';
import { Studio } from './shell/studio.tsx';

const root = document.getElementById('studio');
if (root) render(<Studio />, root);
