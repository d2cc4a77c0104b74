/** Stands in every form with a slider that is not sent by packages/element/src/element. */
import { showValues } from '../show_values.ts';

showValues(document.currentScript?.closest('form') as HTMLFormElement);
