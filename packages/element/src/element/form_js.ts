/** `/api/v1/form.js`: for a `script` element of any kind. */
import { start } from './relay_form.ts';

start();
