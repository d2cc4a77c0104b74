/** `/api/v1/form.js`: for classic and module scripts. */
import { start } from './relay_form.ts';

start();
