import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Own } from './Own.jsx';
import { Printed } from './Printed.jsx';
import { Tag } from './Tag.jsx';

const Page =
  { '/tag/': Tag, '/printed/': Printed, '/own/': Own }[location.pathname] ?? (() => 'Another page.');

createRoot(document.getElementById('app')).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
