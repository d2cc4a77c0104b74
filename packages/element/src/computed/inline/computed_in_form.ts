/** Stands in every form with a computed field that is not sent by packages/element/src/element. */
import { showResults } from '../show_results.ts';

showResults(document.currentScript?.closest('form') as HTMLFormElement);
